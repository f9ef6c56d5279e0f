import type { ScreenSize } from './screen-size.ts';

/** Estimated cells that a terminal touches for a control sequence whose first parameter fits the screen. */
export function outputCost(final: string, first: number | undefined, { cols, rows }: ScreenSize): number {
  const count = Math.max(1, first ?? 1);
  switch (final) {
    case 'b':
      return count;
    case 'L':
    case 'M':
    case 'S':
    case 'T':
      return count * (cols + rows);
    case 'J':
    case 'h':
    case 'l':
    case 'p':
    case 'r':
    case '}':
    case '~':
      return cols * rows;
    case 'I':
    case 'Z':
    case '@':
    case 'P':
    case 'X':
    case 'K':
      return cols;
    default:
      return 8;
  }
}
