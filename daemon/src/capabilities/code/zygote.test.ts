import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { TestApp } from '../../app.fixture.ts';
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

const PARENT = 'import os\nopen("/proc/self/cmdline").read().split("\\0")[1] == "-c"';

/** Runs a cell in a new session; whether a zygote forked its kernel. */
async function isForked(daemon: TestApp): Promise<boolean> {
  return resultOf(await python(daemon, PARENT)) === 'True';
}

const becomesForked = (daemon: TestApp) => expect.poll(() => isForked(daemon), { timeout: 60_000 }).toBe(true);

/** Pids of the zygotes that the daemon has started. */
function zygotesOf(daemon: TestApp): number[] {
  const owners = readFileSync(join(daemon.directory, 'owners'), 'utf8');
  const ids = [...owners.matchAll(/code-[0-9a-f-]{36}/g)].map(([id]) => id);
  return ids.flatMap((id) => processesWith(`SVC_COMMAND_ID=${id}`)).filter((pid) => sessionOf(pid) === pid);
}

/** A kernel that was forked has the environment of its zygote in /proc. */
function sessionOf(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ');
  return Number(fields.split(' ')[3]);
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
    '[code.zygote-replaced] a session outlives its zygote; another is started when it ends or packages change',
    async () => {
      await using daemon = await TestApp.start();
      await becomesForked(daemon);
      await python(daemon, 'x = 5', { session_id: 's' });
      const { pid } = (await daemon.inject('/v2/code/sessions/s')).json().data;
      for (const zygote of zygotesOf(daemon)) if (zygote !== pid) process.kill(zygote, 'SIGKILL');
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
