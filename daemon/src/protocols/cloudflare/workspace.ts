import { realpath, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { runBelow } from '../../core/access/caller.ts';
import { RunContext } from '../../core/account/run-context.ts';
import { bytesOfPath, type FilePath, joinPath, latin1Of, pathOfLatin1 } from '../../core/files/file-path.ts';
import { OUTSIDE, Refused } from './answers.ts';

/** How clients name the root. */
const WORKSPACE = '/workspace';

interface WorkspaceTerms {
  /** Unset: `/workspace` if it exists, else the home of the default account. */
  readonly given: string | undefined;
  readonly defaultUser: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** The directory that clients see as `/workspace`. File operations stay below it, also where links change meanwhile. */
export class Workspace {
  readonly #terms: WorkspaceTerms;

  constructor(terms: WorkspaceTerms) {
    this.#terms = terms;
  }

  /** @throws Refused 400 for an invalid path, 403 for one outside, 503 if the root does not exist */
  async enter<T>(given: FilePath, work: (path: FilePath) => Promise<T>): Promise<T> {
    const real = await this.root();
    const below = this.#belowOf(given, real);
    return await runBelow(real, () => work(below === '' ? real : joinPath(real, below)));
  }

  /** A directory for commands. @throws as `enter` */
  async directory(given: string): Promise<string> {
    const real = await this.root();
    try {
      return posix.join(real, Buffer.from(latin1Of(this.#belowOf(given, real)), 'latin1').toString('utf8'));
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 403) throw error;
      throw new Refused(403, 'cwd must resolve to a location within /workspace');
    }
  }

  /** Its path without links. @throws Refused 503 */
  async root(): Promise<string> {
    const path = await this.#path();
    try {
      return await realpath(path);
    } catch {
      throw new Refused(503, `the root ${path} does not exist: make it, or set SVC_CLOUDFLARE_ROOT`);
    }
  }

  /** A client may have made `/workspace` meanwhile. */
  async #path(): Promise<string> {
    const { given, defaultUser, platform } = this.#terms;
    if (given !== undefined) return given;
    if ((await stat(WORKSPACE).catch(() => undefined))?.isDirectory()) return WORKSPACE;
    const context = new RunContext(defaultUser, platform);
    return context.homeOf(context.identityOf(undefined));
  }

  /** By the text alone; empty for the root. A relative path begins at the root. */
  #belowOf(given: FilePath, real: string): FilePath {
    const bytes = bytesOfPath(given);
    if (bytes.includes(0)) throw new Refused(400, 'the path contains NUL');
    const whole = posix.resolve(WORKSPACE, bytes.toString('latin1'));
    const roots = [WORKSPACE, this.#terms.given ?? WORKSPACE, real].map((root) => latin1Of(posix.resolve(root)));
    const own = roots.find((root) => whole === root || whole.startsWith(`${root}/`));
    if (own === undefined) throw new Refused(403, OUTSIDE);
    return pathOfLatin1(whole.slice(own.length + 1));
  }
}
