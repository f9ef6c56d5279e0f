import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Directories that the account of commands may read: `bin` for programs, `env` for environment files. */
export class Place implements AsyncDisposable {
  readonly path: string;
  readonly bin: string;
  readonly env: string;

  private constructor(path: string) {
    this.path = path;
    this.bin = join(path, 'bin');
    this.env = join(path, 'env');
  }

  static async make(): Promise<Place> {
    const place = new Place(await mkdtemp(join(tmpdir(), 'sandbox-place-')));
    await chmod(place.path, 0o755);
    for (const directory of [place.bin, place.env]) await mkdir(directory);
    return place;
  }

  /** A program in `bin`; one without a text does nothing. */
  async program(name: string, text = ''): Promise<void> {
    await writeFile(join(this.bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }

  /** Commands find the programs of `bin` alone. */
  async onlyPath(): Promise<void> {
    await this.variable('PATH', this.bin);
  }

  async variable(name: string, value: string): Promise<void> {
    await writeFile(join(this.env, name), value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
