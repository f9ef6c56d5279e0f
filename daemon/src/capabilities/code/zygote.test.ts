import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { TestApp } from '../../app.fixture.ts';
import { statOf } from '../../core/process/find/process-finder.ts';
import { hasKeeper } from '../../hosts.fixture.ts';
import { errorOf, PATIENCE_MS, processesWith, python, resultOf } from './cells.fixture.ts';

let packages: string;
let before: string | undefined;

beforeEach(async () => {
  packages = await mkdtemp(join(tmpdir(), 'packages-'));
  before = process.env['PYTHONPATH'];
  process.env['PYTHONPATH'] = packages;
});
afterEach(async () => {
  if (before === undefined) delete process.env['PYTHONPATH'];
  else process.env['PYTHONPATH'] = before;
  await rm(packages, { recursive: true });
});

const PARENT = 'import os\n"-f" not in open("/proc/self/cmdline").read().split("\\0")';

/** Runs a cell in a new session; whether a zygote forked its kernel. */
async function isForked(daemon: TestApp): Promise<boolean> {
  return resultOf(await python(daemon, PARENT)) === 'True';
}

/** Waits for a zygote; a call has one started where there is none. */
async function becomesForked(daemon: TestApp): Promise<void> {
  const hasZygote = async () => (await zygoteCount(daemon)) > 0 || (await isForked(daemon));
  await expect.poll(hasZygote, { timeout: PATIENCE_MS, interval: 250 }).toBe(true);
  expect(await isForked(daemon)).toBe(true);
}

/** Zygotes that the daemon knows to be alive. */
async function zygoteCount(daemon: TestApp): Promise<number> {
  const { body } = await daemon.inject('/metrics');
  return Number(/^code_zygotes (\d+)/m.exec(body)?.[1]);
}

/** Pids of the zygotes that the daemon has started. A kernel that was forked has the environment of its zygote in /proc. */
function zygotesOf(daemon: TestApp): number[] {
  const owners = readFileSync(join(daemon.directory, 'owners'), 'utf8');
  const ids = [...owners.matchAll(/code-[0-9a-f-]{36}/g)].map(([id]) => id);
  return ids.flatMap((id) => processesWith(`SVC_COMMAND_ID=${id}`)).filter((pid) => statOf(pid)?.session === pid);
}

describe.runIf(hasKeeper && has('ipykernel'))('zygotes', () => {
  test(
    '[code.zygote] kernels are forked from a process that has imported what is named',
    async () => {
      await writeFile(join(packages, 'named_module.py'), 'import os\nimported_in = os.getpid()\n');
      await using daemon = await TestApp.start({ kernelPreload: ['named_module', 'no_such_module'] });
      await becomesForked(daemon);
      const code =
        'import os, named_module\n(named_module.imported_in != os.getpid(), os.getsid(0) == os.getpid(), os.getcwd())';
      const cell = await python(daemon, code, { session_id: 's', cwd: '/usr', env: { GIVEN: 'yes' } });
      expect(resultOf(cell)).toBe("(True, True, '/usr')");
      expect((await python(daemon, 'print(os.environ["GIVEN"])', { session_id: 's' })).stdout).toBe('yes\n');
      expect(await python(daemon, 'os._exit(3)', { session_id: 's' })).toMatchObject({ status: 'error', exit_code: 3 });
      expect(errorOf(await python(daemon, 'named_module', { session_id: 's' }))).toBe('NameError');
      // A variable that only the start of Python reads.
      expect(resultOf(await python(daemon, PARENT, { env: { PYTHONHASHSEED: '1' } }))).toBe('False');
    },
    PATIENCE_MS,
  );

  test(
    '[code.zygote] with never, as in a small container, each kernel starts by itself',
    async () => {
      await using daemon = await TestApp.start({ kernelZygote: 'never' });
      expect(await isForked(daemon)).toBe(false);
      expect(await isForked(daemon)).toBe(false);
      expect(await zygoteCount(daemon)).toBe(0);
    },
    PATIENCE_MS,
  );

  test(
    '[code.zygote-replaced] a session outlives its zygote; another is started when it ends or packages change',
    async () => {
      await using daemon = await TestApp.start();
      await becomesForked(daemon);
      await python(daemon, 'x = 5', { session_id: 's' });
      const { pid } = (await daemon.inject('/v2/code/sessions/s')).json().data;
      for (const zygote of zygotesOf(daemon)) if (zygote !== pid) process.kill(zygote, 'SIGKILL');
      await expect.poll(() => zygoteCount(daemon), { timeout: PATIENCE_MS }).toBe(0);
      expect(resultOf(await python(daemon, 'x', { session_id: 's' }))).toBe('5');
      await becomesForked(daemon);
      await writeFile(join(packages, 'installed.py'), '');
      expect(await isForked(daemon)).toBe(false);
      await becomesForked(daemon);
      expect(resultOf(await python(daemon, 'x', { session_id: 's' }))).toBe('5');
    },
    PATIENCE_MS,
  );
});

test.runIf(has('ipykernel'))(
  '[code.zygote] without a keeper cells without a session are forked; they end as reported, and outlive their zygote',
  async () => {
    await using daemon = await TestApp.start({ processHost: 'portable', kernelPreload: ['colorsys'] });
    await becomesForked(daemon);
    const more = { cwd: '/usr', env: { GIVEN: 'yes' } };
    const code = 'import os, sys\nprint(os.getcwd(), os.environ["GIVEN"], "colorsys" in sys.modules)';
    expect((await python(daemon, code, more)).stdout).toBe('/usr yes True\n');
    expect(await python(daemon, 'os._exit(3)')).toMatchObject({ status: 'error', exit_code: null });
    expect(await python(daemon, 'import os; os._exit(3)')).toMatchObject({ status: 'error', exit_code: 3 });
    const killed = await python(daemon, 'import os; os.kill(os.getpid(), 9)');
    expect(killed).toMatchObject({ status: 'error', exit_code: -1, signal: 'SIGKILL' });
    const late = await python(
      daemon,
      'while True:\n    try: __import__("time").sleep(9)\n    except BaseException: pass',
      {
        timeout: 0.5,
      },
    );
    expect(late).toMatchObject({ status: 'timeout', signal: 'SIGKILL' });
    expect(resultOf(await python(daemon, PARENT, { session_id: 's' }))).toBe('False');
    const go = join(packages, 'go.txt');
    const waiting = python(
      daemon,
      `import os, time\nwhile not os.path.exists(${JSON.stringify(go)}): time.sleep(0.02)\n7`,
    );
    await expect.poll(async () => (await daemon.inject('/v2/sandbox/activity')).json().data.holders.length).toBe(1);
    await writeFile(join(packages, 'installed.py'), '');
    expect(await isForked(daemon)).toBe(false);
    await writeFile(go, '');
    expect(resultOf(await waiting)).toBe('7');
  },
  PATIENCE_MS,
);
