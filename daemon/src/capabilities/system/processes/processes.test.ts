import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { identityOfCommands, TestApp } from '../../../app.fixture.ts';
import { CALLS_MAX, ProcessThread } from './process-thread.ts';

const isLinux = process.platform === 'linux';
const isRoot = isLinux && process.getuid?.() === 0;

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly start_ticks: number;
  readonly protected: boolean;
}

async function listed(daemon: TestApp): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const answer = await daemon.inject(`/v2/system/processes?after=${after}`);
    const page: { processes: Listed[]; next_after: number | null } = answer.json().data;
    all.push(...page.processes);
    after = page.next_after;
  }
  return all;
}

async function processOf(daemon: TestApp, pid: number | undefined): Promise<Listed | undefined> {
  return (await listed(daemon)).find((process) => process.pid === pid);
}

function signal(daemon: TestApp, { pid, start_ticks }: Listed, name?: string) {
  return daemon.post(`/v2/system/processes/${pid}/signal`, { start_ticks, ...(name && { signal: name }) });
}

/** A program of the test, which ends with it. */
class Program implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;

  constructor(script: string) {
    this.child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.ended = once(this.child, 'exit');
  }

  async line(): Promise<string> {
    const [bytes] = await once(this.child.stdout ?? this.child, 'data');
    return String(bytes).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

test.runIf(isLinux)('[system.processes] a command is listed with parent, account, CPU, memory and start', async () => {
  await using daemon = await TestApp.start();
  const before = Date.now();
  const { command_id } = await daemon.run('python3 -c "while True: pass" "a b" & echo $! $$; wait', { mode: 'async' });
  const output = async () => (await daemon.inject(`/v2/commands/${command_id}`)).json().data.stdout;
  await expect.poll(output).toMatch(/\d+ \d+\n/);
  const [child, shell] = (await output()).trim().split(' ').map(Number);
  await expect
    .poll(async () => ((await processOf(daemon, child)) as { cpu_seconds?: number })?.cpu_seconds)
    .toBeGreaterThan(0.2);
  const found = await processOf(daemon, child);
  expect(found).toMatchObject({
    parent: shell,
    user: identityOfCommands().name,
    state: expect.stringMatching(/^[RS]$/),
    name: expect.stringMatching(/^python3/),
    command: 'python3 -c while True: pass a b',
    threads: 1,
    protected: false,
    memory_bytes: expect.toSatisfy((bytes: number) => bytes > 1e6 && bytes < 1e9),
    started_at: expect.toSatisfy((at: string) => Math.abs(Date.parse(at) - before) < 60_000),
  });
  await daemon.post(`/v2/commands/${command_id}/kill`, { signal: 'KILL' });
});

test.runIf(isLinux)('[system.pages] pages of one process each list what one page does', async () => {
  await using daemon = await TestApp.start();
  await using program = new Program('sleep 1000 & sleep 1000 & echo up; wait');
  await program.line();
  const seen: number[] = [];
  for (let after = (program.child.pid ?? 0) - 1; seen.length < 3; ) {
    const { data } = (await daemon.inject(`/v2/system/processes?limit=1&after=${after}`)).json();
    expect(data.processes).toHaveLength(1);
    const [{ pid, parent }] = data.processes;
    expect(pid).toBeGreaterThan(after);
    expect(data.next_after === null || data.next_after === pid).toBe(true);
    if (pid === program.child.pid || parent === program.child.pid) seen.push(pid);
    after = pid;
  }
  const last = (await daemon.inject(`/v2/system/processes?after=${2 ** 31 - 2}`)).json().data;
  expect(last).toEqual({ processes: [], next_after: null });
  for (const limit of [0, 2001]) {
    expect((await daemon.inject(`/v2/system/processes?limit=${limit}`)).statusCode).toBe(422);
  }
});

test.runIf(isLinux)('[system.signal] a signal reaches that process alone', async () => {
  await using daemon = await TestApp.start();
  await using program = new Program('sleep 1000 & echo $!; wait; echo over; sleep 1000');
  const child = await processOf(daemon, Number(await program.line()));
  expect(child?.parent).toBe(program.child.pid);
  const over = program.line();
  const answer = await signal(daemon, child as Listed);
  expect(answer.json()).toMatchObject({ success: true, data: { pid: child?.pid, signal: 'SIGTERM' } });
  expect(await over).toBe('over');
  const parent = await processOf(daemon, program.child.pid);
  expect((await signal(daemon, parent as Listed, 'hup')).statusCode).toBe(200);
  expect(await program.ended).toEqual([null, 'SIGHUP']);
  expect((await signal(daemon, parent as Listed)).statusCode).toBe(404);
});

test.runIf(isLinux)('[system.refused] the service, and a pid of another process, are not signalled', async () => {
  await using daemon = await TestApp.start();
  await using program = new Program('echo up; sleep 1000');
  await program.line();
  const found = (await processOf(daemon, program.child.pid)) as Listed;
  const reused = await signal(daemon, { ...found, start_ticks: found.start_ticks - 1 }, 'KILL');
  expect([reused.statusCode, reused.json().hint]).toEqual([409, expect.stringContaining('list the processes again')]);
  for (const pid of isRoot ? [process.pid, process.ppid, 1] : [process.pid, process.ppid]) {
    const own = (await processOf(daemon, pid)) as Listed;
    expect([pid, own.protected]).toEqual([pid, true]);
    const refused = await signal(daemon, own, 'CONT');
    expect([refused.statusCode, refused.json().hint]).toEqual([403, expect.stringContaining('a command')]);
  }
  for (const body of [{}, { start_ticks: 1, signal: 'SIGNONE' }]) {
    expect((await daemon.post(`/v2/system/processes/${found.pid}/signal`, body)).statusCode).toBe(422);
  }
  expect(program.child.exitCode ?? program.child.signalCode).toBeNull();
});

test.runIf(isLinux)('[system.refused] the keeper and the programs of a supervisor are protected', async () => {
  const states = join(import.meta.dirname, 'no-such-file');
  await using daemon = await TestApp.start({ programStates: states });
  const keepers = (await listed(daemon)).filter(
    (one) => (one as { name?: string }).name === 'keeper' && one.parent === process.pid,
  );
  expect(keepers.filter((one) => !one.protected)).toEqual([]);
});

test.skipIf(!isRoot)(
  '[system.account] without root, processes of other accounts are neither listed nor signalled',
  async () => {
    const module = new URL('./process-service.ts', import.meta.url).href;
    const program = `
    import { ProcessService } from '${module}';
    const service = new ProcessService({ find: () => () => false }, 'linux');
    const { processes } = await service.list(0, 2000);
    const accounts = [...new Set(processes.map(({ uid }) => uid))];
    const code = await service.signal(${process.pid}, Number(process.argv[1]), 'SIGCONT').catch((error) => error.kind);
    console.log(JSON.stringify({ accounts, code }));
    await service[Symbol.asyncDispose]();`;
    await using daemon = await TestApp.start();
    const own = (await processOf(daemon, process.pid)) as Listed;
    const run = [process.execPath, '--input-type=module', '-e', program, String(own.start_ticks)];
    const { stdout } = await promisify(execFile)('setpriv', ['--reuid=65534', '--clear-groups', '--', ...run]);
    expect(JSON.parse(stdout)).toEqual({ accounts: [65_534], code: 'forbidden' });
  },
);

test.runIf(isLinux)('[system.stuck] a process whose arguments cannot be read is listed by its name', async () => {
  await using thread = new ProcessThread(join(import.meta.dirname, 'stuck-reader.fixture.ts'));
  const { processes } = await thread.read({ after: 0, limit: 2000, uid: undefined });
  expect(processes.find(({ pid }) => pid === 1)).toMatchObject({ pid: 1, command: undefined });
  expect(processes.find(({ pid }) => pid === process.pid)?.command).toEqual(expect.any(String));
});

test.runIf(isLinux)('[system.pages] of many calls at once those beyond 16 are refused', async () => {
  await using thread = new ProcessThread();
  const calls = Array.from({ length: CALLS_MAX + 3 }, () => thread.read({ after: 0, limit: 1, uid: undefined }));
  const results = await Promise.allSettled(calls);
  expect(results.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 16 }, () => 'fulfilled'),
    ...Array.from({ length: 3 }, () => 'rejected'),
  ]);
  expect((await thread.read({ after: 0, limit: 1, uid: undefined })).processes).toHaveLength(1);
});

test('[system.elsewhere] on other systems than Linux the processes are 501 with a hint', async () => {
  await using daemon = await TestApp.start({}, undefined, undefined, 'darwin');
  for (const answer of [
    await daemon.inject('/v2/system/processes'),
    await daemon.post('/v2/system/processes/7/signal', { start_ticks: 1 }),
  ]) {
    expect([answer.statusCode, answer.json().hint]).toEqual([501, expect.stringContaining('/v2/commands')]);
  }
});
