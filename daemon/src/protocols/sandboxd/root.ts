import { realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { runBelow } from '../../core/access/caller.ts';
import { RunContext } from '../../core/account/run-context.ts';
import { bytesOfPath, type FilePath, joinPath, pathOfLatin1, shownPath } from '../../core/files/file-path.ts';
import { Refused } from './answers.ts';

/** A path that a client gave, below the root. */
export interface RootedPath {
  /** As the client gave it, decoded, with a slash before it. */
  readonly shown: string;
  /** As the client gave it, decoded. */
  readonly given: string;
  readonly path: FilePath;
  /** Whether it names the root itself. */
  readonly isRoot: boolean;
}

/** The directory that is served. Operations stay below it, also if a directory is replaced by a link at the same time. */
export class Root {
  readonly #given: string;

  /** @param given unset: the home of the default account */
  constructor(given: string | undefined, defaultUser: string | undefined, platform: NodeJS.Platform) {
    this.#given = given ?? homeOf(defaultUser, platform);
  }

  /** @throws Refused 403 if `..` leads out of it, 400 for an invalid path, 503 if the root does not exist */
  async enter<T>(given: FilePath, work: (path: RootedPath) => Promise<T>): Promise<T> {
    const real = await this.directory();
    const below = belowOf(given, [this.#given, real]);
    const path = {
      shown: shownOf(given),
      given: shownPath(given),
      path: below === '' ? real : joinPath(real, below),
      isRoot: below === '',
    };
    return await runBelow(real, () => work(path));
  }

  /** Without links. @throws Refused 503 if it does not exist */
  async directory(): Promise<string> {
    try {
      return await realpath(this.#given);
    } catch {
      throw new Refused(503, `the root ${this.#given} does not exist: make it, or set SVC_SANDBOXD_ROOT`);
    }
  }
}

/** Without `.`, `..` and double slashes, by the text alone; empty for the root. */
function belowOf(given: FilePath, roots: readonly string[]): FilePath {
  const bytes = bytesOfPath(given);
  if (bytes.includes(0)) throw new Refused(400, 'the path contains NUL');
  const whole = posix.normalize(bytes.toString('latin1') || '.');
  const own = roots.map((root) => bytesOfPath(root).toString('latin1')).find((root) => isAtOrBelow(whole, root));
  const normal = posix.normalize(own === undefined ? `./${whole}` : `./${whole.slice(own.length)}`);
  if (normal === '..' || normal.startsWith('../')) {
    throw new Refused(403, 'the path leads out of the root of the sandbox');
  }
  const parts = normal.split('/').filter((part) => part !== '' && part !== '.');
  return pathOfLatin1(parts.join('/'));
}

function isAtOrBelow(path: string, root: string): boolean {
  return root !== '/' && (path === root || path.startsWith(`${root}/`));
}

function shownOf(given: FilePath): string {
  const shown = shownPath(given);
  return shown.startsWith('/') ? shown : `/${shown}`;
}

function homeOf(defaultUser: string | undefined, platform: NodeJS.Platform): string {
  const context = new RunContext(defaultUser, platform);
  return context.homeOf(context.identityOf(undefined));
}
