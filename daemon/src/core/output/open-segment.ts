import { closeSync, openSync, readSync } from 'node:fs';

/** The segment file that readers follow, kept open between their reads: opening it costs more than reading a line. */
export class OpenSegment implements Disposable {
  #path = '';
  #fd: number | undefined;

  /** Bytes read into `into`, at most `length`. @throws the error of the system call, ENOENT if it is gone */
  read(path: string, into: Buffer, length: number, position: number): number {
    if (this.#fd === undefined || path !== this.#path) {
      this[Symbol.dispose]();
      this.#fd = openSync(path, 'r');
      this.#path = path;
    }
    return readSync(this.#fd, into, 0, length, position);
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
