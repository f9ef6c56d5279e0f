import { OutputFilter, useCharacterWidths } from '@sandbox/program/terminal/terminal-output.ts';
import { SerializeAddon } from '@xterm/addon-serialize/lib/addon-serialize.mjs';
import headless from '@xterm/headless';
import { LOOK_MAX, type ScreenFormat, type ScreenLook } from './screen-protocol.ts';

/** Lines above the screen that a repaint and a transcript include. */
const SCROLLBACK = 1000;
/** Cells above the screen, of 12 bytes each: a wide terminal has fewer lines there. */
const SCROLLBACK_CELLS = 512 * 1024;

/** A headless terminal that draws the output of one session. */
export class ScreenModel {
  readonly #terminal: headless.Terminal;
  readonly #serialize = new SerializeAddon();
  readonly #decoder = new TextDecoder();
  readonly #filter: OutputFilter;
  #title = '';

  constructor(cols: number, rows: number) {
    this.#terminal = new headless.Terminal({
      cols,
      rows,
      scrollback: scrollbackOf(cols),
      logLevel: 'off',
      allowProposedApi: true,
    });
    this.#filter = new OutputFilter({ cols, rows });
    this.#terminal.loadAddon(this.#serialize);
    useCharacterWidths(this.#terminal);
    this.#terminal.onTitleChange((title) => {
      this.#title = title;
    });
  }

  /** Output as text that the terminal draws in bounded time, in pieces. */
  pieces(bytes: Uint8Array): string[] {
    return this.#filter.pieces(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Resolves when the piece is drawn. */
  draw(piece: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(piece, resolve));
  }

  resize(cols: number, rows: number): void {
    this.#filter.resize({ cols, rows });
    this.#terminal.options.scrollback = scrollbackOf(cols);
    this.#terminal.resize(cols, rows);
  }

  look(format: ScreenFormat): ScreenLook {
    const { cols, rows, buffer } = this.#terminal;
    const { cursorX: x, cursorY: y, type } = buffer.active;
    const output = this.#drawn(format);
    const look = { cols, rows, cursor: { x, y }, title: this.#title, alternateScreen: type === 'alternate' };
    return { ...look, output: output.slice(0, LOOK_MAX), isCut: output.length > LOOK_MAX };
  }

  /** Characters of all cells: what a model needs beyond its arrays grows with them. */
  weight(): number {
    const { normal, alternate } = this.#terminal.buffer;
    return weightOf(normal) + weightOf(alternate);
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #drawn(format: ScreenFormat): string {
    const { buffer, rows } = this.#terminal;
    if (format === 'repaint') return this.#serialize.serialize();
    if (format === 'ansi') return this.#serialize.serialize({ scrollback: 0, excludeModes: true });
    if (format === 'html') return this.#serialize.serializeAsHTML({ scrollback: 0, includeGlobalBackground: true });
    const { active } = buffer;
    if (format === 'line') {
      return active.getLine(active.baseY + active.cursorY)?.translateToString(false, 0, active.cursorX) ?? '';
    }
    if (format === 'transcript') return transcriptOf(active);
    const lines = Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row));
    return lines.map((line) => line?.translateToString(true).trimEnd() ?? '').join('\n');
  }
}

function scrollbackOf(cols: number): number {
  return Math.min(SCROLLBACK, Math.floor(SCROLLBACK_CELLS / cols));
}

function weightOf(buffer: headless.IBuffer): number {
  let weight = 0;
  for (let row = 0; row < buffer.length; row += 1) weight += buffer.getLine(row)?.translateToString().length ?? 0;
  return weight;
}

function transcriptOf(buffer: headless.IBuffer): string {
  const lines: string[] = [];
  for (let row = 0; row < buffer.length; row += 1) {
    const line = buffer.getLine(row);
    if (line === undefined) continue;
    const goesOn = buffer.getLine(row + 1)?.isWrapped ?? false;
    const text = line.translateToString(!goesOn);
    if (line.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`);
    else lines.push(text);
  }
  return lines.join('\n').trimEnd();
}
