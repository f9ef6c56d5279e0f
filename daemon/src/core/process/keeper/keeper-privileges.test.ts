import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lookUpIdentity } from '../../account/identity.ts';
import { textOf } from '../process-host.fixture.ts';
import { TestAccount } from '../test-account.fixture.ts';
import { idIn, keeperProgram, RunningKeeper, startIn } from './keeper.fixture.ts';

const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot && keeperProgram !== undefined)('privileges of commands (needs root)', () => {
  let account: TestAccount;
  let directory = '';
  /** A setuid program of root's: it prints the effective uid. */
  let setuid = '';
  beforeAll(() => {
    account = new TestAccount(`keeper-gain-${process.pid}`);
    // A file system with nosuid would hide the difference.
    directory = mkdtempSync('/var/lib/keeper-gain-');
    setuid = join(directory, 'id');
    copyFileSync('/usr/bin/id', setuid);
    chmodSync(directory, 0o755);
    chmodSync(setuid, 0o4755);
  });
  afterAll(() => {
    account[Symbol.dispose]();
    rmSync(directory, { recursive: true });
  });

  /** What a command of the account, or of root, can become. */
  async function gains(flags: readonly string[], asRoot = false): Promise<Record<string, string>> {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '', { flags });
    await using host = await keeper.host();
    const id = idIn(keeper.directory, asRoot ? 'root' : 'account');
    const script = `echo uid: $(${setuid} -u); grep -E '^(NoNewPrivs|Cap(Bnd|Eff)):' /proc/self/status`;
    const identity = asRoot ? lookUpIdentity('root') : account.identity;
    const running = await startIn(host, id, script, { identity });
    await running.ended;
    const lines = (await textOf(running.output.stdout)).trim().split('\n');
    running.acknowledgeExit();
    expect(keeper.said).toBe('');
    return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
  }

  const own = execFileSync('grep', ['^CapBnd', '/proc/self/status'], { encoding: 'utf8' }).split(/\s+/)[1] ?? '';

  test('without the flag a setuid program makes the account root', async () => {
    expect(await gains([])).toMatchObject({ uid: '0', NoNewPrivs: '0', CapBnd: own });
  });

  test('with --no-new-privileges nothing does, and the bounding set is empty', async () => {
    const none = '0000000000000000';
    const uid = String(account.identity.uid);
    expect(await gains(['--no-new-privileges'])).toEqual({ uid, NoNewPrivs: '1', CapBnd: none, CapEff: none });
  });

  test('a command of root keeps what the keeper has', async () => {
    expect(await gains(['--no-new-privileges'], true)).toEqual({ uid: '0', NoNewPrivs: '0', CapBnd: own, CapEff: own });
  });
});
