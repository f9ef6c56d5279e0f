import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { hasKeeper } from '../../../hosts.fixture.ts';
import { PATIENCE_MS } from '../cells.fixture.ts';

let directory: string;
let go: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandboxd-held-'));
  go = join(directory, 'go');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

interface Row {
  readonly language: string;
  readonly set: string;
  readonly get: string;
  /** Prints `before é`, waits for the file, prints `after`, and counts its runs in `runs`. */
  readonly waiting: (file: string) => string;
  readonly runs: string;
}

const ROWS: readonly Row[] = [
  {
    language: 'javascript',
    set: 'let x = 5',
    get: 'console.log(x)',
    waiting: (file) =>
      `globalThis.runs = (globalThis.runs ?? 0) + 1; console.log('before é'); console.error('e');
         while (!require('fs').existsSync('${file}')) await new Promise((done) => setTimeout(done, 20)); console.log('after')`,
    runs: 'console.log(runs)',
  },
  {
    language: 'javascript',
    set: 'let x = 5',
    get: 'console.log(x)',
    waiting: (file) =>
      `globalThis.runs = (globalThis.runs ?? 0) + 1; console.log('before é'); console.error('e');
         while (!require('fs').existsSync('${file}')); console.log('after')`,
    runs: 'console.log(runs)',
  },
  {
    language: 'bash',
    set: 'x=5',
    get: 'echo $x',
    waiting: (file) =>
      `runs=$((runs + 1)); echo 'before é'; echo e >&2; while [ ! -e '${file}' ]; do sleep 0.02; done; echo after`,
    runs: 'echo $runs',
  },
];

interface Begun {
  readonly row: Row;
  readonly session: string;
  readonly id: string;
}

const run = (daemon: DaemonProcess, { language }: Row, code: string, session_id: string, more: object = {}) =>
  daemon.data('/v2/code/execute', { language, code, session_id, timeout: 100, ...more });

/** Starts in a session of each row the cell that waits, and answers when both of its first outputs are there. */
function begin(daemon: DaemonProcess, file: string): Promise<Begun[]> {
  return Promise.all(
    ROWS.map(async (row, index) => {
      const session = `s${index}`;
      await run(daemon, row, row.set, session);
      const { execution_id: id } = await run(daemon, row, row.waiting(file), session, { async: true });
      await expect
        .poll(async () => (await daemon.data(`/v2/code/executions/${id}`)).outputs.length, { timeout: 60_000 })
        .toBe(2);
      return { row, session, id };
    }),
  );
}

async function ended(daemon: DaemonProcess, id: string) {
  await daemon.data(`/v2/code/executions/${id}?wait=true&offset=99&wait_timeout=60`);
  const { status, outputs } = await daemon.data(`/v2/code/executions/${id}`);
  const textOf = (stream: string): string =>
    outputs.map(({ name, text }: { name?: string; text?: string }) => (name === stream ? text : '')).join('');
  return [status, textOf('stdout'), textOf('stderr')];
}

const WHOLE = ['ok', 'before é\nafter\n', 'e\n'];

describe.runIf(hasKeeper)('a daemon that was killed', () => {
  test('[js.restart] [bash.restart] finds state and the cells that run', { timeout: PATIENCE_MS }, async () => {
    const first = await DaemonProcess.start(directory);
    await Promise.all(ROWS.map((row, index) => run(first, row, row.set, `idle${index}`)));
    const pids = await pidsOf(first);
    const begun = await begin(first, go);
    await first.stop('SIGKILL');
    await using second = await DaemonProcess.start(directory);
    expect(await pidsOf(second)).toEqual(pids);
    for (const [index, row] of ROWS.entries()) {
      expect((await run(second, row, row.get, `idle${index}`)).stdout).toBe('5\n');
    }
    for (const { id } of begun) expect((await second.data(`/v2/code/executions/${id}`)).status).toBe('running');
    await writeFile(go, '');
    for (const { row, session, id } of begun) {
      expect(await ended(second, id)).toEqual(WHOLE);
      expect((await run(second, row, row.runs, session)).stdout).toBe('1\n');
      expect((await run(second, row, row.get, session)).stdout).toBe('5\n');
    }
  });

  test('[js.restart] [bash.restart] finds what ended meanwhile, whole', { timeout: PATIENCE_MS }, async () => {
    const first = await DaemonProcess.start(directory);
    const begun = await begin(first, go);
    await first.stop('SIGKILL');
    await writeFile(go, '');
    await using second = await DaemonProcess.start(directory);
    for (const { row, session, id } of begun) {
      expect(await ended(second, id)).toEqual(WHOLE);
      expect((await run(second, row, row.runs, session)).stdout).toBe('1\n');
    }
  });

  test('[code.died] finds how an interpreter ended meanwhile, and drops its session', {
    timeout: PATIENCE_MS,
  }, async () => {
    const first = await DaemonProcess.start(directory);
    await Promise.all(ROWS.map((row, index) => run(first, row, row.set, `idle${index}`)));
    const begun = await begin(first, go);
    const sessions = begun.map(({ session }) => first.data(`/v2/code/sessions/${session}`));
    const pids = [...(await pidsOf(first)), ...(await Promise.all(sessions)).map(({ pid }) => pid)];
    await first.stop('SIGKILL');
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    for (const pid of pids) await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 30_000 }).toBe(false);
    await using second = await DaemonProcess.start(directory);
    for (const { id } of begun) {
      expect(await ended(second, id)).toEqual(['error', 'before é\n', 'e\n']);
      expect((await second.data(`/v2/code/executions/${id}`)).execution).toMatchObject({ signal: 'SIGKILL' });
    }
    expect((await second.data('/v2/code/sessions')).sessions).toEqual([]);
  });
});

function pidsOf(daemon: DaemonProcess): Promise<number[]> {
  return Promise.all(ROWS.map(async (_row, index) => (await daemon.data(`/v2/code/sessions/idle${index}`)).pid));
}
