import { type ErrorKind, SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Desktop, InputAction, Performed, Picture, PictureTerms, Size } from '../../core/desktop/desktop.ts';
import { ShellPaths } from '../../core/files/shell-paths.ts';
import { type DesktopInfo, isDesktopInfo } from './desktop-info.ts';
import { noWorker, type WorkerAnswer, WorkerClient, type WorkerRequest, WorkerSilence } from './worker-client.ts';

/** Milliseconds for a look at whether the worker is there, and for what it answers without input. */
const LOOK_MS = 2_000;
const READ_MS = 20_000;
/** Milliseconds of silence: a call waits 30 s for its turn, and one action takes 40 s at most. */
export const ACT_MS = 45_000;

const ACTIONS = '/v2/computer/actions';

/** 422 is about a body that the daemon has made, which is not a field of the client's request. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  400: 'invalid',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  422: 'invalid',
  503: 'unavailable',
  507: 'disk_full',
};

/** What an agent does with a node of a program, as the worker takes it. */
export interface NodeAction {
  readonly action_type: 'NODE_FOCUS' | 'NODE_INVOKE' | 'NODE_SET_VALUE';
  readonly node_id: string;
  readonly action?: string;
  readonly value?: string | number;
}

/** The display as its worker serves it. */
export class DesktopService implements Desktop, AsyncDisposable {
  readonly paths: ShellPaths;
  readonly #client: WorkerClient;

  /** @param paths of requests */
  constructor(url: string, paths = new ShellPaths()) {
    this.paths = paths;
    this.#client = new WorkerClient(url);
  }

  /** The answer of the worker, unchanged. @throws as `WorkerClient.ask` */
  forward(request: WorkerRequest): Promise<WorkerAnswer> {
    return this.#client.ask(request);
  }

  /** What the worker says of the display; undefined if no worker answers in time, or what answers is none. */
  async info(): Promise<DesktopInfo | undefined> {
    try {
      const { data } = await this.#json({ method: 'GET', path: '/v2/computer/info', ms: LOOK_MS });
      return isDesktopInfo(data) ? data : undefined;
    } catch (error) {
      if (error instanceof SandboxError) return undefined;
      throw error;
    }
  }

  async isAvailable(): Promise<boolean> {
    return (await this.info())?.available ?? false;
  }

  async size(): Promise<Size> {
    const size = (await this.info())?.screen_resolution;
    if (!size) throw noWorker();
    return size;
  }

  async resize(size: Size): Promise<void> {
    await this.#json({ method: 'POST', path: '/v2/computer/resolution', body: size, ms: READ_MS });
  }

  async screenshot({ format, quality, scale }: PictureTerms): Promise<Picture> {
    const query = new URLSearchParams({ format, scale: String(scale) });
    if (quality !== undefined) query.set('quality', String(quality));
    const path = `/v2/computer/screenshot?${query}`;
    const { headers, body } = await this.#ask({ method: 'GET', path, ms: READ_MS });
    const [width, height] = [Number(headers['x-image-width']), Number(headers['x-image-height'])];
    if (!Number.isSafeInteger(width) || !Number.isSafeInteger(height)) throw noWorker();
    return { bytes: body, width, height };
  }

  perform(action: InputAction, requestId: string): Promise<Performed> {
    return this.#act(wireAction(action), requestId);
  }

  /** @throws SandboxError if nothing was done */
  actOnNode(action: NodeAction, requestId: string): Promise<Performed> {
    return this.#act(action, requestId);
  }

  /** What programs show: the tree, or at `/nodes` the nodes that fit. @throws SandboxError as the worker says it */
  async accessibility(
    path: '' | '/nodes',
    query: Readonly<Record<string, string | number | undefined>>,
    gone: AbortSignal,
  ): Promise<object> {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const url = `/v2/computer/accessibility${path}?${new URLSearchParams(given)}`;
    const { data } = await this.#json({ method: 'GET', path: url, ms: READ_MS, signal: gone });
    return typeof data === 'object' && data !== null ? data : {};
  }

  async #act(body: object, requestId: string): Promise<Performed> {
    const request = { method: 'POST', path: ACTIONS, body, ms: ACT_MS } as const;
    try {
      const answer = await this.#json({ ...request, headers: { 'x-request-id': requestId } });
      return { success: answer['success'] === true, message: String(answer['message']), hint: hintOf(answer) };
    } catch (error) {
      if (error instanceof WorkerSilence) return silent(error);
      throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
    return Promise.resolve();
  }

  async #json(request: WorkerRequest): Promise<Record<string, unknown>> {
    return parsed(await this.#ask(request));
  }

  /** @throws SandboxError as the worker says it */
  async #ask(request: WorkerRequest): Promise<WorkerAnswer> {
    const answer = await this.#client.ask(request);
    if (answer.status < 400) return answer;
    const body = parsed(answer);
    const hint = hintOf(body);
    throw new SandboxError(KINDS[answer.status] ?? 'io', String(body['message']), { ...(hint && { hint }) });
  }
}

/** What is said of actions whose worker fell silent. */
export function silent({ message }: WorkerSilence): Performed {
  return { success: false, message, hint: 'take a screenshot before you repeat anything: a part was done' };
}

function parsed({ body }: WorkerAnswer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch (error) {
    throw noWorker(error);
  }
  throw noWorker();
}

function hintOf({ hint }: Record<string, unknown>): string | null {
  return typeof hint === 'string' ? hint : null;
}

/** The action with the names of the wire. */
function wireAction({ type, ...fields }: InputAction): Record<string, unknown> {
  const named = Object.entries(fields).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return { action_type: type, ...Object.fromEntries(named) };
}
