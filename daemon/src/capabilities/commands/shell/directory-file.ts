import { randomBytes } from 'node:crypto';
import { closeSync, constants, fchownSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Identity } from '../../../core/account/identity.ts';
import { discard } from '../../../core/files/discard.ts';
import type { HelperPlaces } from '../../../core/files/helper-places.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
/** Linux takes paths of that many bytes (PATH_MAX); one more is the line end. */
const PATH_BYTES = 4096;

/**
 * A file to which a bash appends the directory where it ends. It is sourced by that bash as BASH_ENV, sets a trap and
 * unsets the variable, so that no other program sees it; the text and the line numbers of the command are unchanged.
 * The daemon reads what it holds open, whatever the account makes of the name. The file is not truncated: ext4 would
 * begin to write it to the disk then, and its removal would wait for that.
 */
export class DirectoryFile implements Disposable {
  readonly path: string;
  readonly #descriptor: number;
  /** Bytes of the script. */
  readonly #begin: number;

  /**
   * @param physical write the directory with links resolved
   * @throws SandboxError `disk_full`
   */
  static create(places: HelperPlaces, owner: Identity, physical: boolean): DirectoryFile {
    return places.place((directory) => new DirectoryFile(directory, owner, physical));
  }

  private constructor(directory: string, owner: Identity, physical: boolean) {
    this.path = join(directory, randomBytes(9).toString('base64url'));
    this.#descriptor = openSync(this.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      if (owner.uid !== process.getuid?.() && owner.uid >= 0) fchownSync(this.#descriptor, owner.uid, owner.gid);
      const print = `builtin pwd -${physical ? 'P' : 'L'} >>${inTrap(this.path)}`;
      const script = `unset BASH_ENV; trap '{ ${print}; } 2>/dev/null' EXIT\n`;
      this.#begin = writeSync(this.#descriptor, script);
      if (this.#begin < script.length) throw Object.assign(new Error('no room for the script'), { code: 'ENOSPC' });
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** The directory in which the bash ended; undefined if it wrote none, as after `exec` or SIGKILL. */
  directory(): string | undefined {
    const bytes = Buffer.alloc(PATH_BYTES + 1);
    const text = bytes.toString('utf8', 0, readSync(this.#descriptor, bytes, 0, bytes.length, this.#begin));
    return text.startsWith('/') && text.endsWith('\n') ? text.slice(0, -1) : undefined;
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
    discard(this.path);
  }
}

/** A path as a word of a command that is itself between single quotes. */
function inTrap(path: string): string {
  return path.replace(/[^\w./-]/g, '\\$&').replaceAll("'", `'\\''`);
}
