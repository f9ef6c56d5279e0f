import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Surroundings, Writer } from './writer.ts';

const PIECE = 50;
const PIECES = 8;

/** Files that are replaced, and removed. */
export class FileWriter implements Writer {
  readonly #with: Surroundings;
  readonly #path: string;
  /** Undefined: the file is absent. */
  #content: string | undefined;
  /** What a cut call may have left. */
  #pending: { readonly content: string | undefined } | undefined;
  #count = 0;

  constructor(surroundings: Surroundings) {
    this.#with = surroundings;
    this.#path = join(surroundings.directory, `${surroundings.name}-file`);
  }

  async act(): Promise<void> {
    const { daemon, ledger, random } = this.#with;
    // Another cut call would leave a third content that is right.
    if (this.#pending) await this.settle();
    const isRemoval = this.#content !== undefined && random() < 0.2;
    const next = isRemoval ? undefined : `content ${this.#count++}\n`;
    const outcome = isRemoval
      ? await daemon.call('/v2/fs/delete', { body: { path: this.#path } })
      : await daemon.call('/v2/fs/write', { body: { path: this.#path, content: next } });
    if (outcome.kind === 'cut') this.#pending = { content: next };
    if (outcome.kind === 'refused' && isRemoval) ledger.fault(`a file cannot be deleted: ${outcome.status}`);
    if (outcome.kind !== 'taken') return;
    ledger.acknowledge('files');
    this.#content = next;
  }

  settle(): Promise<void> {
    const { ledger, name } = this.#with;
    const found = read(this.#path);
    if (found !== this.#content && !(this.#pending && isPartOf(found, this.#pending.content))) {
      ledger.fault(`${name}: the file has ${JSON.stringify(found)}, acknowledged ${JSON.stringify(this.#content)}`);
    }
    this.#content = found;
    this.#pending = undefined;
    return Promise.resolve();
  }

  finish(): Promise<void> {
    return this.settle();
  }
}

/** A file in pieces: each piece that was acknowledged is in the part, and the whole has each once. */
export class PartWriter implements Writer {
  readonly #with: Surroundings;
  #count = 0;
  #size = 0;
  /** A piece was cut: as much of it as the part says. */
  #isCut = false;

  constructor(surroundings: Surroundings) {
    this.#with = surroundings;
  }

  async act(): Promise<void> {
    const { daemon, ledger, name } = this.#with;
    if (this.#isCut) return this.settle();
    const end = Math.min(this.#size + PIECE, this.#total);
    const range = `bytes ${this.#size}-${end - 1}/${this.#total}`;
    const body = this.#whole.slice(this.#size, end);
    const outcome = await daemon.call(this.#url, { method: 'PUT', body, headers: { 'content-range': range } });
    if (outcome.kind !== 'taken') {
      this.#isCut = true;
      return;
    }
    ledger.acknowledge('parts');
    if (outcome.data['complete'] === true && read(this.#path) !== this.#whole)
      ledger.fault(`${name}: a whole is wrong`);
    this.#advance(end);
  }

  async settle(): Promise<void> {
    if (this.#size === 0 && !this.#isCut) return;
    const { daemon, ledger, name } = this.#with;
    const most = this.#isCut ? this.#size + PIECE : this.#size;
    // The last piece may have completed the file.
    if (this.#isCut && most >= this.#total && read(this.#path) === this.#whole) return this.#advance(this.#total);
    const headers = { 'content-range': `bytes */${this.#total}` };
    const { data } = await daemon.ask(this.#url, { method: 'PUT', headers });
    const size = Number(data['file_size'] ?? -1);
    if (size === this.#total && size === most) {
      // All bytes are in the part, and the call that would have named the file was cut.
      const headers = { 'content-range': `bytes 0-${size - 1}/${size}` };
      await daemon.ask(`${this.#url}&restart=true`, { method: 'PUT', body: this.#whole, headers });
      return this.#advance(size);
    }
    if (size < this.#size || size > most) ledger.fault(`${name}: a part has ${size} bytes, acknowledged ${this.#size}`);
    this.#size = Math.max(0, size);
    this.#isCut = false;
  }

  finish(): Promise<void> {
    return this.settle();
  }

  #advance(size: number): void {
    this.#isCut = false;
    this.#size = size === this.#total ? 0 : size;
    if (this.#size === 0) this.#count += 1;
  }

  get #total(): number {
    return PIECE * PIECES;
  }

  get #whole(): string {
    return `${this.#with.name} ${this.#count} `.repeat(PIECE * PIECES).slice(0, this.#total);
  }

  get #path(): string {
    return join(this.#with.directory, `${this.#with.name}-whole-${this.#count % 4}`);
  }

  get #url(): string {
    return `/v2/fs/upload?path=${encodeURIComponent(this.#path)}`;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** A write that is not atomic may be cut after the file was emptied, or amid its bytes. */
function isPartOf(found: string | undefined, content: string | undefined): boolean {
  return found === content || (found !== undefined && content?.startsWith(found) === true);
}
