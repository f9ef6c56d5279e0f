import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pollUntil } from '@sandbox/api/wait.ts';
import { imageName } from '@sandbox/program/product.ts';

/** Time for a browser to answer after a request to start it, in milliseconds. */
const START_MS = 30_000;
const LOOK_MS = 100;
/** The supervisor ignores a request while the browser ends, so it is repeated. */
const REPEAT_MS = 1_000;

const WITHOUT_SUPERVISOR = `start a browser with --remote-debugging-port, or run the service in the full image ${imageName('daemon')} or ${imageName('desktop')}`;
const AFTER_FAILURE = 'the log of the container has its messages; supervisorctl restart chromium ends one that hangs';

export interface StartedBrowser {
  /** What the browser calls itself. */
  readonly version: string;
  /** False if it had been running. */
  readonly started: boolean;
}

interface StarterTerms {
  /** A FIFO that a supervisor reads: whatever is written to it asks for the browser, and for nothing else. */
  readonly fifo: string | undefined;
  /** What the running browser calls itself; undefined if none answers. */
  readonly version: () => Promise<string | undefined>;
  /** Milliseconds. */
  readonly startMs?: number;
}

/** Asks the supervisor of the image for the browser. The daemon itself starts none. */
export class BrowserStarter {
  readonly #terms: StarterTerms;
  #starting: Promise<StartedBrowser> | undefined;

  constructor(terms: StarterTerms) {
    this.#terms = terms;
  }

  /** Whether a start was requested and the browser does not answer yet. */
  get isStarting(): boolean {
    return this.#starting !== undefined;
  }

  /**
   * Resolves when the browser answers. Concurrent callers share one start.
   * @throws SandboxError `unsupported` without a supervisor, `unavailable` if no browser answers in time
   */
  start(): Promise<StartedBrowser> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<StartedBrowser> {
    const running = await this.#terms.version();
    if (running !== undefined) return { version: running, started: false };
    await using requests = await this.#requests();
    let version: string | undefined;
    let askedAt = Number.NEGATIVE_INFINITY;
    const ask = async (): Promise<boolean> => {
      if (performance.now() - askedAt >= REPEAT_MS) {
        askedAt = performance.now();
        await request(requests);
      }
      version = await this.#terms.version();
      return version !== undefined;
    };
    const ms = this.#terms.startMs ?? START_MS;
    await pollUntil(ask, { everyMs: LOOK_MS, ms });
    if (version !== undefined) return { version, started: true };
    throw new SandboxError('unavailable', `the browser did not answer within ${ms / 1000} s of the request to start`, {
      hint: AFTER_FAILURE,
    });
  }

  async #requests(): Promise<FileHandle> {
    const { fifo } = this.#terms;
    if (fifo === undefined) throw unsupported('nothing here starts a browser');
    let handle: FileHandle;
    try {
      handle = await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    } catch (cause) {
      throw unsupported(`no supervisor takes requests at ${fifo}`, cause);
    }
    if ((await handle.stat()).isFIFO()) return handle;
    await handle.close();
    throw unsupported(`${fifo} is not a FIFO`);
  }
}

/** A full FIFO holds a request already. */
async function request(requests: FileHandle): Promise<void> {
  try {
    await requests.write('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return;
    throw new SandboxError('unavailable', 'the supervisor takes no requests any more', { cause: error });
  }
}

function unsupported(message: string, cause?: unknown): SandboxError {
  return new SandboxError('unsupported', message, { hint: WITHOUT_SUPERVISOR, cause });
}
