import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A mounted tmpfs of a few MiB; needs root and mounts (`may-mount.ts`). */
export class SmallDisk implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async mount(mebibytes: number): Promise<SmallDisk> {
    const path = await mkdtemp(join(tmpdir(), 'small-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=1777`, 'tmpfs', path]);
    return new SmallDisk(path);
  }

  /** Writes a file that takes all that is free; returns its path. */
  fill(name = 'fill'): string {
    const path = join(this.path, name);
    const file = openSync(path, 'w', 0o666);
    try {
      for (;;) writeSync(file, Buffer.alloc(4096));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    } finally {
      closeSync(file);
    }
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    execFileSync('umount', ['-l', this.path]);
    await rmdir(this.path);
  }
}
