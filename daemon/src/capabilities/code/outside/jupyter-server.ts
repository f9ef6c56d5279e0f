import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause, timeoutSignal } from '@sandbox/api/wait.ts';
import { WebSocket } from 'ws';

/** Milliseconds that the server may take to answer, and to start a kernel. */
const ANSWER_MS = 10_000;
const START_MS = 60_000;
/** Milliseconds in which a kernel is deleted, and between two attempts. */
const DELETE_MS = 10_000;
const DELETE_EVERY_MS = 500;
/** Bytes of the longest answer that is read, and of the longest message of a kernel. */
const ANSWER_BYTES = 4 * 1024 ** 2;
const MESSAGE_BYTES = 128 * 1024 ** 2;

/** A kernel that the server can start. */
export interface OutsideSpec {
  readonly name: string;
  readonly language: string;
  readonly isDefault: boolean;
}

/** The API of a Jupyter server (Jupyter Server: REST API; WebSocket protocol without a subprotocol). */
export class JupyterServer {
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;

  /** `endpoint`: its address up to the base path; a query `token` is sent as `Authorization`. */
  constructor(endpoint: string) {
    const url = new URL(endpoint);
    const token = url.searchParams.get('token');
    url.search = '';
    if (!url.pathname.endsWith('/')) url.pathname += '/';
    this.#base = url;
    this.#headers = token === null ? {} : { authorization: `token ${token}` };
  }

  /** The default one first. @throws SandboxError `unavailable` */
  async specs(): Promise<OutsideSpec[]> {
    const answer = (await this.#ask('GET', 'api/kernelspecs')) as { default?: unknown; kernelspecs?: object };
    const specs = Object.entries(answer?.kernelspecs ?? {}).map(([name, entry]): OutsideSpec => {
      const language: unknown = (entry as { spec?: { language?: unknown } }).spec?.language;
      return { name, language: String(language), isDefault: name === answer.default };
    });
    return specs.sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
  }

  /** Starts a kernel in the root directory of the server; answers its id. @throws SandboxError `unavailable` */
  async start(name: string): Promise<string> {
    const kernel = (await this.#ask('POST', 'api/kernels', { name, path: '' }, START_MS)) as { id?: unknown };
    if (typeof kernel?.id === 'string') return kernel.id;
    throw unavailable('it answers no id of a kernel');
  }

  /** Whether there is a kernel of that id. @throws SandboxError `unavailable` */
  async has(id: string): Promise<boolean> {
    return (await this.#ask('GET', `api/kernels/${id}`)) !== undefined;
  }

  /** @throws SandboxError `unavailable` */
  async interrupt(id: string): Promise<void> {
    await this.#ask('POST', `api/kernels/${id}/interrupt`, {});
  }

  /** No effect if none exists. While the server restarts a kernel, it answers 500. @throws as `has` */
  async delete(id: string): Promise<void> {
    const deadline = performance.now() + DELETE_MS;
    for (;;) {
      const { status } = await this.#fetch('DELETE', `api/kernels/${id}`);
      if (status < 300 || status === 404) return;
      if (performance.now() > deadline) throw unavailable(`it answers ${status}`);
      await pause(DELETE_EVERY_MS);
    }
  }

  /** The channels of a kernel, which open when it answers. The server keeps messages for a session that is cut until it connects again. */
  channels(id: string, session: string): WebSocket {
    const url = new URL(`api/kernels/${id}/channels?session_id=${session}`, this.#base);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return new WebSocket(url, { headers: this.#headers, maxPayload: MESSAGE_BYTES, handshakeTimeout: START_MS });
  }

  /** The JSON of the answer; undefined for 404. @throws SandboxError `unavailable` */
  async #ask(method: string, path: string, body?: object, ms = ANSWER_MS): Promise<unknown> {
    const { status, text } = await this.#fetch(method, path, body, ms);
    if (status === 404) return undefined;
    if (status >= 300) throw unavailable(`it answers ${status}`);
    try {
      return text === '' ? {} : JSON.parse(text);
    } catch (error) {
      throw unavailable(String(error));
    }
  }

  /** @throws SandboxError `unavailable` if it does not answer */
  async #fetch(
    method: string,
    path: string,
    body?: object,
    ms = ANSWER_MS,
  ): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const answer = await fetch(new URL(path, this.#base), {
        method,
        headers: { ...this.#headers, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
        signal: timeoutSignal(ms),
        redirect: 'error',
      });
      return { status: answer.status, text: await textOf(answer) };
    } catch (error) {
      throw unavailable(error instanceof Error ? reasonOf(error) : String(error));
    }
  }
}

/** @throws Error if it is longer than is read */
async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > ANSWER_BYTES) throw new Error('its answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

export function unavailable(why: string): SandboxError {
  return new SandboxError('unavailable', `the Jupyter server of SVC_JUPYTER_ENDPOINT does not serve: ${why}`, {
    hint: 'check its address, its token and that it runs',
  });
}
