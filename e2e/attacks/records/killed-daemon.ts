import { appendFileSync } from 'node:fs';
import { DaemonProcess } from '../../../daemon/src/daemon-process.fixture.ts';
import type { Ledger } from './ledger.ts';

/** The `data` of an answer, as far as the attacks look at it. */
export interface Data {
  readonly [name: string]: unknown;
  readonly command_id?: string;
  readonly execution_id?: string;
  readonly stdin_bytes?: number;
  readonly size?: number;
  readonly status?: string;
  readonly current_command?: string | null;
  readonly command?: Data;
  readonly execution?: Data;
  readonly content?: string;
}

/** Cut: the daemon died before its answer arrived. Refused: 507, 503 or 429 with a hint. */
export type Outcome =
  | { readonly kind: 'taken'; readonly status: number; readonly data: Data }
  | { readonly kind: 'refused'; readonly status: number; readonly data: Data }
  | { readonly kind: 'cut' };

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that are not faults, beside 200 and 201. */
  readonly statuses?: readonly number[];
}

/** Milliseconds in which a call is answered, also if its query waits for half a minute. */
const ANSWER_MS = 120_000;
const REFUSALS: readonly number[] = [429, 503, 507];

/** A daemon that is killed again and again, and found again by the next one. */
export class KilledDaemon implements AsyncDisposable {
  readonly #runtimeDir: string;
  readonly #env: Record<string, string>;
  readonly #ledger: Ledger;
  #up: Promise<DaemonProcess>;
  #isKilling = false;
  #due: { left: number; readonly resolve: () => void } | undefined;
  kills = 0;

  constructor(runtimeDir: string, env: Record<string, string>, ledger: Ledger) {
    this.#runtimeDir = runtimeDir;
    this.#env = env;
    this.#ledger = ledger;
    this.#up = this.#start();
  }

  async ready(): Promise<void> {
    await this.#up;
  }

  /** Resolves when that many more calls have been answered; one wait at a time. */
  async answered(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#due = { left: count, resolve };
    await promise;
  }

  /** @param between runs while no daemon does */
  async kill(between: () => void = () => {}): Promise<void> {
    const before = await this.#up;
    this.#isKilling = true;
    this.#up = before.stop('SIGKILL').then(() => {
      this.#isKilling = false;
      this.kills += 1;
      between();
      return this.#start();
    });
    await this.#up;
  }

  async call(path: string, { method, body, headers = {}, statuses = [] }: Call = {}): Promise<Outcome> {
    const daemon = await this.#up;
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const init = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      ...(text !== undefined && { body: text }),
    };
    let answer: Response;
    let said: string;
    try {
      answer = await fetch(daemon.base + path, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
      said = await answer.text();
    } catch (error) {
      if (isTimeout(error)) this.#ledger.fault(`${init.method} ${path}: no answer in ${ANSWER_MS / 1000} s`);
      this.#ledger.cut += 1;
      return { kind: 'cut' };
    }
    if (this.#due && --this.#due.left <= 0) this.#due.resolve();
    const { status } = answer;
    const { data, hint } = parsed(said);
    if (answer.ok || statuses.includes(status)) return { kind: 'taken', status, data: data ?? {} };
    this.#ledger.refused += 1;
    if (!REFUSALS.includes(status) || !hint) {
      this.#ledger.fault(`${init.method} ${path}: ${status} ${said.slice(0, 300)}`);
    }
    return { kind: 'refused', status, data: data ?? {} };
  }

  /** As `call`, until an answer arrives that is not a refusal. */
  async ask(path: string, call: Call = {}): Promise<{ readonly status: number; readonly data: Data }> {
    for (;;) {
      const outcome = await this.call(path, call);
      if (outcome.kind === 'taken') return outcome;
      if (outcome.kind === 'refused' && outcome.status !== 503) return outcome;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isKilling = true;
    await (await this.#up)[Symbol.asyncDispose]();
  }

  async #start(): Promise<DaemonProcess> {
    const daemon = await DaemonProcess.start(this.#runtimeDir, this.#env).catch((error: unknown) => {
      this.#ledger.fault(`the daemon does not start: ${String(error).slice(0, 2000)}`);
      return DaemonProcess.start(this.#runtimeDir, this.#env);
    });
    daemon.child.stderr?.resume();
    const log = process.env['ATTACK_LOG'];
    for (const output of log === undefined ? [] : [daemon.child.stdout, daemon.child.stderr]) {
      output?.on('data', (text: Buffer) => appendFileSync(log ?? '', text));
    }
    daemon.child.once('exit', (code, signal) => {
      if (this.#isKilling) return;
      this.#ledger.fault(`the daemon ended by itself: ${code} ${signal}`);
      this.#up = this.#start();
    });
    return daemon;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function parsed(text: string): { data?: Data; hint?: string | null } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
