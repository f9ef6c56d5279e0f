import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { afterAll, beforeAll, beforeEach, expect, onTestFailed } from 'vitest';
import { DAEMON_IMAGE } from '../../scripts/images/build-images.ts';
import { ROOT } from '../../scripts/root.ts';
import { LABEL } from '../setup/images.ts';
import { plainLog } from './plain-log.ts';

const PUBLIC_PORT = 8080;
const LOGS = join(ROOT, 'dist/e2e-logs');
const GIB = 1024 ** 3;

/** For containers whose tests need no browser, which takes as much of a processor as the rest of the boot. */
export const NO_BROWSER = { BROWSER_START_MODE: 'manual' };
/** For containers that run no Python cells: others prepare a Python soon after each start of the daemon. */
export const NO_KERNELS = { SVC_KERNEL_ZYGOTE: 'use' };

export const READY = /"name":"sandbox","msg":"ready (?:for its claim )?at /;
/** What supervisord says of starts and stops is at this level. */
export const WITH_STARTS = { LOG_LEVEL: 'debug' };

export interface SandboxOptions {
  /** Default: the daemon image. */
  readonly image?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The API key, if `env` does not contain it. */
  readonly key?: string;
  /** The public port, if `env` changes it. */
  readonly port?: number;
  /** Changes the container before it starts. */
  readonly with?: (container: SandboxContainer) => void;
  /** Without the 4 GiB of shared memory that compose.yaml sets. */
  readonly plain?: boolean;
}

/** A command in a response of the API. */
export interface CommandData {
  readonly command_id: string;
  readonly status: string;
  readonly exit_code: number | null;
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
}

class SandboxContainer extends GenericContainer {
  /** Mounts the root file system read-only. */
  withReadOnlyRoot(): this {
    this.hostConfig.ReadonlyRootfs = true;
    return this;
  }

  /** Without the image's health check, whose processes the engine starts with the variables of the container. */
  withoutHealthCheck(): this {
    this.createOpts.Healthcheck = { Test: ['NONE'] };
    return this;
  }

  /** Has the engine check the health that often. */
  withHealthInterval(seconds: number): this {
    this.createOpts.Healthcheck = { Interval: seconds * 1e9, Retries: 2 };
    return this;
  }

  /** Has the engine check the health as the image says, which costs a process a second with an older engine. */
  withHealthOfImage(): this {
    delete this.createOpts.Healthcheck;
    return this;
  }
}

/** A ready container of the daemon image. */
export class Sandbox implements AsyncDisposable {
  readonly container: StartedTestContainer;
  readonly #key: string | undefined;
  readonly #port: number;
  readonly #log: string[];

  private constructor(
    container: StartedTestContainer,
    address: { key: string | undefined; port: number },
    log: string[],
  ) {
    this.container = container;
    this.#key = address.key;
    this.#port = address.port;
    this.#log = log;
  }

  static async start(options: SandboxOptions = {}): Promise<Sandbox> {
    const { image = DAEMON_IMAGE, env = {}, port = PUBLIC_PORT, with: change, plain } = options;
    const log: string[] = [];
    const key = options.key ?? env['SVC_API_KEY'] ?? env['SANDBOX_API_KEY'];
    const container = new SandboxContainer(image)
      .withPullPolicy({ shouldPull: () => false })
      .withLabels(LABEL)
      .withEnvironment(env)
      .withExposedPorts(port)
      .withLogConsumer((stream: Readable) => void stream.on('data', (text) => log.push(String(text))))
      // Asking for the readiness would look once a second.
      .withWaitStrategy(Wait.forLogMessage(READY))
      .withStartupTimeout(120_000)
      .withHealthInterval(10);
    if (!plain) container.withSharedMemorySize(4 * GIB);
    change?.(container);
    try {
      const sandbox = new Sandbox(await container.start(), { key, port }, log);
      await sandbox.#expectReady(env['SVC_CLAIM_TOKEN_FILE'] === undefined ? '/ready' : '/health');
      return sandbox;
    } catch (error) {
      throw new Error(`the container did not become ready: ${error}\n${log.join('')}`, { cause: error });
    }
  }

  /** Not cached, because the port changes when the container restarts. */
  get url(): string {
    return `http://127.0.0.1:${this.container.getMappedPort(this.#port)}`;
  }

  /** The container's log so far. */
  get rawLog(): string {
    return this.#log.join('');
  }

  /** The same with `NAME: MESSAGE` for each complete line. */
  get log(): string {
    const raw = this.rawLog;
    return plainLog(raw.slice(0, raw.lastIndexOf('\n') + 1));
  }

  /** Waits until the log contains `what`. */
  async said(what: string | RegExp): Promise<void> {
    const says = () => expect.poll(() => this.log);
    await (typeof what === 'string' ? says().toContain(what) : says().toMatch(what));
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(this.#key !== undefined && { 'x-api-key': this.#key }), ...init.headers };
    return fetch(this.url + path, { ...init, headers });
  }

  async post<T>(path: string, body: object): Promise<T> {
    const answer = await this.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: T }).data;
  }

  /** The result of a request to the MCP hub. */
  async mcp<T>(method: string, params: object = {}): Promise<T> {
    const answer = await this.fetch('/mcp', {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return ((await answer.json()) as { result: T }).result;
  }

  /** Names of the tools of the MCP hub. */
  async toolNames(): Promise<string[]> {
    const { tools } = await this.mcp<{ tools: readonly { name: string }[] }>('tools/list');
    return tools.map(({ name }) => name);
  }

  /** Runs a command through the API. */
  run(command: string, more: object = {}): Promise<CommandData> {
    return this.post('/v2/commands', { command, ...more });
  }

  /** Runs a shell script as root by docker exec; resolves with its output. */
  async shell(script: string): Promise<string> {
    const { exitCode, output } = await this.container.exec(['sh', '-c', script]);
    if (exitCode !== 0) throw new Error(`exit ${exitCode}: ${output}`);
    return output.trim();
  }

  /** Writes the container's log to a file named after the test. */
  async keepLog(test: string): Promise<void> {
    await mkdir(LOGS, { recursive: true });
    const file = join(LOGS, `${test.replace(/[^a-z0-9]+/gi, '-').slice(0, 80)}.log`);
    await writeFile(file, this.rawLog);
    process.stderr.write(`the container's log: ${file}\n`);
  }

  /** Kills the container: the tests of its end stop it themselves. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.container.stop({ timeout: 0 });
  }

  async #expectReady(path: string): Promise<void> {
    const { status } = await this.fetch(path);
    if (status === 200) return;
    await this[Symbol.asyncDispose]();
    throw new Error(`${path}: ${status} from a container that is ready`);
  }
}

/** Starts a container for one test; its log is kept if the test fails. A concurrent test gives its own `onFailed`. */
export async function startSandbox(options: SandboxOptions = {}, onFailed = onTestFailed): Promise<Sandbox> {
  const sandbox = await Sandbox.start(options);
  onFailed(({ task }) => sandbox.keepLog(task.name));
  return sandbox;
}

/** Starts one container for all tests of a file. */
export function sharedSandbox(options: SandboxOptions = {}): () => Sandbox {
  let sandbox: Sandbox | undefined;
  const started = (): Sandbox => {
    if (!sandbox) throw new Error('the container has not started');
    return sandbox;
  };
  beforeAll(async () => {
    sandbox = await Sandbox.start(options);
  });
  beforeEach(() => {
    onTestFailed(({ task }) => started().keepLog(task.name));
  });
  afterAll(async () => {
    await sandbox?.[Symbol.asyncDispose]();
  });
  return started;
}
