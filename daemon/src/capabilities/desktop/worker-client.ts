import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { CollectedBytes } from '@sandbox/program/collected-bytes.ts';
import { currentSpan } from '@sandbox/program/tracing/tracing.ts';
import { GrowingWork } from '../../core/answers/answer-hold.ts';

/** Largest answer that is read, in bytes: a picture of four screens of 4K. */
const ANSWER_MAX = 256 * 1024 ** 2;
/** Idle connections that are kept. */
const KEPT = 4;

export interface WorkerRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Milliseconds without a sign of the worker. */
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
}

export interface WorkerAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The worker fell silent after it had begun actions. */
export class WorkerSilence extends Error {
  /** Actions that had begun. */
  readonly begun: number;

  constructor(begun: number, cause: unknown) {
    super('the computer-use worker fell silent', { cause });
    this.begun = begun;
  }
}

export function noWorker(cause?: unknown): SandboxError {
  return new SandboxError('unavailable', 'computer-use worker is not available', {
    hint: 'use the desktop image, or start the worker beside an X display and set SVC_COMPUTER_USE_URL',
    cause,
  });
}

/** Requests to the worker over connections that are kept. */
export class WorkerClient implements Disposable {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: KEPT });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /**
   * @throws SandboxError `unavailable` if the worker is away or silent before it has begun an action, and
   *   WorkerSilence after that
   */
  async ask(terms: WorkerRequest): Promise<WorkerAnswer> {
    try {
      return await this.#once(terms);
    } catch (error) {
      // The worker has closed an idle connection, or was restarted, while the request was on its way.
      if (error instanceof StaleConnection) return await this.#once(terms, false);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #once({ method, path, headers, body, ms, signal }: WorkerRequest, keeps = true): Promise<WorkerAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const traceparent = currentSpan()?.traceparent;
    const sent = request(new URL(path, this.#url), {
      method,
      agent: keeps ? this.#agent : false,
      headers: {
        ...headers,
        'x-progress': '1',
        ...(traceparent !== undefined && { traceparent }),
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    });
    let begun = 0;
    const fail = (error: unknown): void => {
      sent.destroy();
      if (begun > 0) reject(new WorkerSilence(begun, error));
      else if (keeps && sent.reusedSocket && isReset(error)) reject(new StaleConnection());
      else reject(error instanceof SandboxError ? error : noWorker(error));
    };
    let silence = setTimeout(fail, ms);
    sent.on('information', () => {
      begun += 1;
      clearTimeout(silence);
      silence = setTimeout(fail, ms);
    });
    const gone = (): void => fail(signal?.reason);
    signal?.addEventListener('abort', gone, { once: true });
    const work = new GrowingWork();
    sent.on('response', (response) => {
      const received = new CollectedBytes();
      let length = 0;
      const take = (chunk: Buffer): void => {
        length += chunk.length;
        if (length > ANSWER_MAX) throw new Error('the answer is too large');
        // A call that has acted is not refused.
        if (begun === 0) work.add(chunk.length);
        received.add(chunk);
      };
      response.on('data', (chunk: Buffer) => {
        try {
          take(chunk);
        } catch (error) {
          response.pause();
          fail(error);
        }
      });
      response.once('error', fail);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 500, headers: response.headers, body: received.take() }),
      );
    });
    sent.on('upgrade', () => fail(new Error('the worker switches protocols')));
    sent.on('error', fail);
    sent.end(text);
    return promise.finally(() => {
      clearTimeout(silence);
      work[Symbol.dispose]();
      signal?.removeEventListener('abort', gone);
    });
  }
}

class StaleConnection extends Error {}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}
