import { parentPort } from 'node:worker_threads';
import { SerializeAddon } from '@xterm/addon-serialize/lib/addon-serialize.mjs';
import headless from '@xterm/headless';
import type { ScreenAnswer, ScreenFormat, ScreenLook, ScreenRequest } from './screen-protocol.ts';

/** Lines above the screen that a repaint and a transcript include. */
const SCROLLBACK = 1000;

/** A headless terminal that draws the output of one session. */
class Model {
  readonly #terminal: headless.Terminal;
  readonly #serialize = new SerializeAddon();
  #title = '';

  constructor(cols: number, rows: number) {
    this.#terminal = new headless.Terminal({
      cols,
      rows,
      scrollback: SCROLLBACK,
      logLevel: 'off',
      allowProposedApi: true,
    });
    this.#terminal.loadAddon(this.#serialize);
    this.#terminal.onTitleChange((title) => {
      this.#title = title;
    });
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#terminal.write(bytes, done);
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
  }

  look(format: ScreenFormat): ScreenLook {
    const { cols, rows, buffer } = this.#terminal;
    const { cursorX: x, cursorY: y, type } = buffer.active;
    const look = { cols, rows, cursor: { x, y }, title: this.#title, alternateScreen: type === 'alternate' };
    return { ...look, output: this.#drawn(format) };
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

const models = new Map<number, Model>();

function answer(message: ScreenAnswer): void {
  parentPort?.postMessage(message);
}

function onRequest(request: ScreenRequest): void {
  const { session } = request;
  if (request.type === 'open') {
    models.set(session, new Model(request.cols, request.rows));
    return;
  }
  const model = models.get(session);
  if (request.type === 'write') {
    if (model === undefined) answer({ id: request.id });
    else model.write(request.bytes, () => answer({ id: request.id }));
  } else if (request.type === 'look') {
    answer({ id: request.id, ...(model && { look: model.look(request.format) }) });
  } else if (request.type === 'resize') {
    model?.resize(request.cols, request.rows);
  } else {
    model?.dispose();
    models.delete(session);
  }
}

parentPort?.on('message', onRequest);
