import type { PageLine } from './page-walk.ts';
import { onOneLine } from './paragraphs.ts';

/** Lines of a list that are written; further ones are counted. */
const LIST_MAX = 30;
/** Roles of which long lists are cut. */
const CUT: ReadonlySet<string> = new Set(['listitem', 'option', 'text']);

interface Compacted {
  readonly lines: readonly PageLine[];
  /** Whether lists were cut. */
  readonly isCut: boolean;
}

/** Writes paragraphs on one line each, and cuts long runs of leaves of one kind with a count. */
export function compact(lines: readonly PageLine[], isWhole: boolean): Compacted {
  const merged = onOneLine(lines);
  return isWhole ? { lines: merged, isCut: false } : cutLists(merged);
}

function cutLists(lines: readonly PageLine[]): Compacted {
  const kept: PageLine[] = [];
  let isCut = false;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    if (line === undefined) break;
    const end = runEnd(lines, at);
    const most = end - at > LIST_MAX ? LIST_MAX : end - at;
    kept.push(...lines.slice(at, at + most));
    if (most < end - at) {
      kept.push({ d: line.d, r: 'text', n: `… ${end - at - most} more of role ${line.r}` });
      isCut = true;
    }
    at = end;
  }
  return { lines: kept, isCut };
}

/** Where the run of leaves of the same role ends. */
function runEnd(lines: readonly PageLine[], at: number): number {
  const first = lines[at];
  if (first === undefined || !CUT.has(first.r)) return at + 1;
  let end = at;
  while (lines[end]?.r === first.r && lines[end]?.d === first.d && !((lines[end + 1]?.d ?? 0) > first.d)) end += 1;
  return Math.max(end, at + 1);
}
