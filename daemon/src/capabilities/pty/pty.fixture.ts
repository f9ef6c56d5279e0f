import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { describeRows } from '../../../../scripts/testing/describe-rows.ts';
import { has } from '../../../../scripts/testing/machine.ts';
import { withGrowingTime } from '../../../../scripts/testing/rounds.ts';
import { TestApp } from '../../app.fixture.ts';
import type { Config } from '../../config.ts';
import { hasKeeper, ONLY_HOST } from '../../hosts.fixture.ts';

/** A shell without start-up files, for a fast start and a known prompt. */
export const BARE = { command: 'bash', args: ['--norc', '--noprofile'], env: { PS1: '$ ' } };

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

interface Backend {
  readonly name: string;
  readonly isThere: boolean;
  readonly config: Partial<Config>;
}

/** What holds the terminals of a service. */
export const BACKENDS: readonly Backend[] = (
  [
    { name: 'keeper', isThere: hasKeeper, config: { processHost: 'keeper' } },
    { name: 'portable', isThere: true, config: { processHost: 'portable' } },
    { name: 'tmux', isThere: has('tmux'), config: { shellBackend: 'tmux' } },
  ] as const
).filter(({ name }) => ONLY_HOST === undefined || name === ONLY_HOST);

/** As `describe`, once for each of them. */
export function describeOnBackends(name: string, define: (config: Partial<Config>) => void): void {
  describeRows(
    BACKENDS,
    (backend) => `${name}, ${backend.name}`,
    ({ config }) => define(config),
  );
}

/** A directory that any account of a session can write to. */
export async function sharedDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pty-'));
  await chmod(directory, 0o777);
  return directory;
}

/** A listening daemon, for viewers. */
export async function started(overrides = {}): Promise<{ daemon: TestApp; ws: string } & AsyncDisposable> {
  const daemon = await TestApp.start(overrides);
  const ws = (await daemon.listen()).replace('http', 'ws');
  return { daemon, ws, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
}

export async function create(daemon: TestApp, id: string, more: object = BARE): Promise<Json> {
  return dataOf(await daemon.post('/v2/pty/sessions', { id, ...more }));
}

export async function exec(daemon: TestApp, id: string, command: string, more: object = {}): Promise<Json> {
  return dataOf(await daemon.post(`/v2/pty/sessions/${id}/exec`, { command, ...more }));
}

export async function input(daemon: TestApp, id: string, text: string): Promise<Json> {
  return dataOf(await daemon.post(`/v2/pty/sessions/${id}/input`, { input: text }));
}

export async function info(daemon: TestApp, id: string): Promise<Json> {
  return dataOf(await daemon.inject(`/v2/pty/sessions/${id}`));
}

/** Waits until the screen meets the condition, and answers it. */
export async function screen(daemon: TestApp, id: string, met: (output: string, all: Json) => boolean): Promise<Json> {
  const deadline = performance.now() + 45_000;
  for (let wait = 0; ; wait = 1) {
    const data = dataOf(await daemon.inject(`/v2/pty/sessions/${id}/screen?wait=${wait}`));
    if (met(data.output, data)) return data;
    if (performance.now() > deadline) throw new Error(`the screen stayed ${JSON.stringify(data)}`);
  }
}

/**
 * The answer of a call that ended by its no-change timeout after the command had written `output`. Each round uses a
 * session of its own and a longer timeout, so that one round is longer than the start of the shell.
 */
export function afterSilence(
  output: string,
  call: (session: string, noChangeTimeout: number) => Promise<Json>,
): Promise<Json> {
  return withGrowingTime(0.3, async (seconds) => {
    const answer = await call(`silent-${seconds}`, seconds);
    if (answer.status !== 'no_change_timeout' || !output.startsWith(answer.output)) {
      throw new Error(`no silence after ${JSON.stringify(output)}: ${JSON.stringify(answer)}`);
    }
    return answer.output === output ? answer : undefined;
  });
}

function dataOf(answer: { statusCode: number; body: string; json: () => Json }): Json {
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
  return answer.json().data;
}

/** Characters of earlier binary frames that `text` keeps. */
const TAIL = 4096;

/** A viewer that keeps all its messages and the output of the terminal. */
export class TestViewer implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly messages: Json[] = [];
  /** Bytes of binary frames. */
  length = 0;
  /** Close code and reason. */
  readonly closed: Promise<readonly [code: number, reason: string]>;
  #bytes: Buffer[] = [];
  #text = '';
  #wake: () => void = () => {};

  constructor(url: string, options: ConstructorParameters<typeof WebSocket>[2] = {}) {
    this.socket = new WebSocket(url, options);
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        resolve([code, reason.toString()]);
        this.#wake();
      });
    });
    this.socket.on('error', () => {});
    this.socket.on('message', (data: Buffer, isBinary) => this.#take(data, isBinary));
  }

  /** The output; with binary frames only its end. */
  get text(): string {
    return this.#text;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#bytes);
  }

  get offset(): number {
    return this.messages.findLast(({ offset }) => offset !== undefined)?.offset;
  }

  send(message: object | string | Buffer): void {
    this.socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  type(data: string): void {
    this.send({ type: 'input', data });
  }

  /** Waits for a message of that type. */
  async message(type: string): Promise<Json> {
    await this.until(() => this.messages.some((message) => message.type === type));
    return this.messages.find((message) => message.type === type);
  }

  /** Waits until the output contains the text. */
  async shows(text: string): Promise<void> {
    await this.until(() => this.#text.includes(text));
  }

  async until(met: () => boolean): Promise<void> {
    while (!met()) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed before: ${this.#text.slice(-500)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (isBinary) {
      this.#bytes.push(data);
      this.length += data.length;
      this.#text = this.#text.slice(-TAIL) + data.toString('latin1');
    } else {
      const message = JSON.parse(data.toString());
      if (message.type === 'output') this.#text += message.data;
      this.messages.push(message);
    }
    this.#wake();
  }
}
