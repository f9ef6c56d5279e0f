import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { compiles } from '../process/keeper/fixture-builds.fixture.ts';
import { keeperProgram, RunningKeeper } from '../process/keeper/keeper.fixture.ts';
import { WallClock } from './wall-clock.fixture.ts';

const HOURS = 3_600_000;
const KEY = 'correct-horse-battery';
/** Seconds after which what is idle ends, and a ticket. */
const SHORT = 15;
const PATIENCE_MS = 120_000;

type Data = Record<string, never>;

/** A daemon whose wall clock the test sets, and what it was given to remember. */
class Sandbox implements AsyncDisposable {
  readonly clock = new WallClock();
  readonly directory: string;
  readonly #env: Record<string, string>;
  readonly #keeper: RunningKeeper | undefined;
  #daemon: DaemonProcess | undefined;

  private constructor(directory: string, clock: WallClock, keeper: RunningKeeper | undefined) {
    this.clock = clock;
    this.directory = directory;
    this.#keeper = keeper;
    this.#env = {
      ...clock.env,
      SVC_API_KEY: KEY,
      SVC_SHELL_SESSION_TIMEOUT: `${SHORT}`,
      SVC_SHELL_BACKEND: 'native',
      SVC_PROCESS_HOST: keeper === undefined ? 'portable' : 'keeper',
    };
  }

  static async start(host: 'keeper' | 'portable'): Promise<Sandbox> {
    const clock = new WallClock();
    const directory = mkdtempSync(join(tmpdir(), 'jump-'));
    const keeper =
      host === 'keeper'
        ? await RunningKeeper.start(keeperProgram ?? '', { directory, env: { ...clock.env } })
        : undefined;
    const sandbox = new Sandbox(directory, clock, keeper);
    await sandbox.restart();
    return sandbox;
  }

  /** Kills the daemon, if one runs, and starts one. */
  async restart(between: () => void = () => undefined): Promise<void> {
    await this.#daemon?.stop('SIGKILL');
    between();
    this.#daemon = await DaemonProcess.start(this.directory, this.#env);
  }

  async call(
    path: string,
    { body, headers = {}, method }: { body?: object | string; headers?: object; method?: string } = {},
  ) {
    const payload = typeof body === 'object' ? JSON.stringify(body) : body;
    const key = 'x-original-uri' in headers || path.includes('ticket=') ? {} : { 'x-api-key': KEY };
    const answer = await fetch((this.#daemon?.base ?? '') + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...key, ...headers },
      ...(payload !== undefined && { body: payload }),
    });
    const text = await answer.text();
    const json = text.startsWith('{') ? JSON.parse(text) : undefined;
    return { status: answer.status, headers: answer.headers, data: json?.data as Data };
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects.
  async data(path: string, body?: object): Promise<any> {
    const { status, data } = await this.call(path, body && { body });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(data)}`);
    return data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon?.[Symbol.asyncDispose]();
    await this.#keeper?.[Symbol.asyncDispose]();
    this.clock[Symbol.dispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const piece = (range: string) => ({ method: 'PUT', headers: { 'content-range': `bytes ${range}` } });

/** What stays for longer than the test takes. @returns a check that all of it is there */
async function fill(sandbox: Sandbox) {
  const runs = join(sandbox.directory, 'runs');
  const upload = join(sandbox.directory, 'upload');
  const keyed = { command: `echo run >> ${runs}`, idempotency_key: 'k' };
  const { command_id: once } = await sandbox.data('/v2/commands', keyed);
  const slow = { command: 'sleep 1000', mode: 'async', hard_timeout: 900 };
  const { command_id: running } = await sandbox.data('/v2/commands', slow);
  const bash = (code: string, more = {}) =>
    sandbox.data('/v2/code/execute', { language: 'bash', code, session_id: 's', ...more });
  const { execution_id: ended } = await bash('kept=1');
  const { execution_id: cell } = await bash('sleep 1000', { session_id: 'long', timeout: 900, async: true });
  await sandbox.data('/v2/pty/sessions', { id: 'named' });
  await sandbox.call(`/v2/fs/upload?path=${upload}`, { ...piece('0-2/5'), body: 'hel' });
  const internal = { 'x-original-uri': `/vnc/?api_key=${KEY}`, 'x-original-method': 'GET', accept: 'text/html' };
  const opened = await sandbox.call('/internal/auth', { headers: internal });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  return async (isAfterRestart: boolean) => {
    const status = async (path: string) => (await sandbox.call(path)).status;
    // A cell that ends is also when ended executions are looked through.
    expect((await bash('echo $kept')).outputs?.[0]?.text).toBe('1\n');
    expect((await sandbox.data('/v2/commands', keyed)).command_id).toBe(once);
    expect(readFileSync(runs, 'utf8')).toBe('run\n');
    const paths = [`/v2/commands/${once}`, `/v2/code/executions/${ended}`, '/v2/pty/sessions/named'];
    expect(await Promise.all(paths.map(status))).toEqual([200, 200, 200]);
    const { commands } = await sandbox.data('/v2/commands?status=running');
    expect(commands.map((command: Data) => command['command_id'])).toEqual([running]);
    expect((await sandbox.data(`/v2/code/executions/${cell}`)).status).toBe('running');
    const asked = { 'x-original-uri': '/vnc/', 'x-original-method': 'GET', cookie };
    expect((await sandbox.call('/internal/auth', { headers: asked })).status).toBe(204);
    const { since, holders } = await sandbox.data('/v2/sandbox/activity');
    for (const at of [since, ...holders.map((holder: { since: string }) => holder.since)]) {
      const ago = sandbox.clock.now() - Date.parse(at);
      expect(ago).toBeGreaterThan(-1000);
      expect(ago).toBeLessThan(PATIENCE_MS);
    }
    const { sessions } = await sandbox.data('/v1/shell/sessions');
    expect(sessions.named.age_seconds).toBeLessThan(PATIENCE_MS / 1000);
    if (!isAfterRestart) return;
    const rest = await sandbox.call(`/v2/fs/upload?path=${upload}`, { ...piece('3-4/5'), body: 'lo' });
    expect([rest.status, readFileSync(upload, 'utf8')]).toEqual([200, 'hello']);
  };
}

/** What ends after `SHORT` seconds. @returns what of it is there */
async function fillBriefly(sandbox: Sandbox) {
  const { session_id: terminal } = await sandbox.data('/v2/pty/sessions', {});
  await sandbox.data('/v2/code/sessions', { language: 'bash', id: 'brief', max_idle_seconds: SHORT });
  const { ticket } = await sandbox.data('/v2/tickets', { path_prefix: '/v2/sandbox', ttl: SHORT, uses: 1000 });
  return async () => {
    const terminals = (await sandbox.data('/v2/pty/sessions')).sessions;
    const codes = (await sandbox.data('/v2/code/sessions')).sessions;
    return {
      terminal: terminal in terminals,
      code: codes.some((one: Data) => one['session_id'] === 'brief'),
      ticket: (await sandbox.call(`/v2/sandbox/activity?ticket=${ticket}`)).status === 200,
    };
  };
}

const ROWS = [
  { jump: 'three hours forward', ms: 3 * HOURS, host: 'keeper' },
  { jump: 'three hours back', ms: -3 * HOURS, host: 'keeper' },
  { jump: 'three hours forward', ms: 3 * HOURS, host: 'portable' },
  { jump: 'three hours back', ms: -3 * HOURS, host: 'portable' },
] as const;

describe.runIf(compiles && keeperProgram !== undefined)('a wall clock that is set', () => {
  test.concurrent.each(ROWS)(
    '[clock.jump] [code.session-clock] set $jump, $host host: nothing ends early or late',
    { timeout: PATIENCE_MS },
    async ({ ms, host }) => {
      await using sandbox = await Sandbox.start(host);
      const isThere = await fill(sandbox);
      const briefly = await fillBriefly(sandbox);
      sandbox.clock.jump(ms);
      // All that looks for what is over has looked at least once when it has ended.
      await sandbox.data('/v2/commands', { command: `sleep ${SHORT / 5}` });
      expect(await briefly()).toEqual({ terminal: true, code: true, ticket: true });
      await isThere(false);
      await expect
        .poll(briefly, { timeout: PATIENCE_MS / 2, interval: 500 })
        .toEqual({ terminal: false, code: false, ticket: false });
      if (host === 'portable') return;
      await sandbox.restart();
      await isThere(false);
      await sandbox.restart(() => sandbox.clock.jump(ms));
      await isThere(true);
    },
  );
});
