import { untilAborted } from './cancel.ts';
import type { Transport } from './transport.ts';

/** Turns `~/a`, `a` and `/a` into absolute paths; the first two are below the home of the account. */
export class RemotePaths {
  readonly #transport: Transport;
  #home: Promise<string> | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async resolve(path: string, signal: AbortSignal | undefined): Promise<string> {
    if (path.startsWith('/')) return path;
    const rest = path === '~' ? '' : path.startsWith('~/') ? path.slice(2) : path;
    const home = await untilAborted(this.home(), signal);
    return rest === '' ? home : `${home === '/' ? '' : home}/${rest}`;
  }

  /** The home of the account of commands. */
  home(): Promise<string> {
    this.#home ??= this.#transport.data('/v2/sandbox', 'SandboxInfo').then(
      ({ home_dir }) => home_dir,
      (error: unknown) => {
        this.#home = undefined;
        throw error;
      },
    );
    return this.#home;
  }
}
