import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayMount } from '../../../../scripts/testing/may-mount.ts';
import type { Identity } from '../account/identity.ts';
import { describeHosts, linux, root, sealed, targetOf } from './process-host.fixture.ts';
import { TestAccount } from './test-account.fixture.ts';

describeHosts((kit) => {
  const { start, run, reopensOutput } = kit;

  describe.runIf(linux)('bounds', () => {
    test.runIf(mayMount)('a full disk drops output, never the process (needs root to mount a small disk)', async () => {
      const output = join(kit.directory, 'output');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', output]);
      try {
        const hosted = await start('sh', ['-c', 'head -c 1000000 /dev/zero; echo done >&2; exit 5']);
        expect(await hosted.ended).toMatchObject({ exitCode: 5 });
        expect(hosted.output.stdout.end).toBe(1_000_000);
        expect(hosted.output.stdout.retainedBytes).toBeLessThanOrEqual(64 * 1024);
      } finally {
        execFileSync('umount', ['--lazy', output]);
      }
    });
  });

  describe.skipIf(!root)('as another account (needs root)', () => {
    let made: TestAccount;
    let account: Identity;
    beforeAll(() => {
      made = new TestAccount(`svc-test-${process.pid}`, ['audio', 'games']);
      account = made.identity;
    });
    afterAll(() => made[Symbol.dispose]());

    test('has its uid, gid and supplementary groups, and may open its descriptors again', async () => {
      const script = 'echo $0; id -un; id -G; cat /dev/fd/3 | head -c 2; echo; grep CapEff /proc/self/status';
      const { stdout, end } = await run('sh', ['-c', script], { identity: account, script: 'ok' });
      const [called, user, groups, reopened, capabilities] = stdout.trim().split('\n');
      expect(called).toBe('sh');
      expect(user).toBe(account.name);
      expect(groups?.split(' ').map(Number).sort()).toEqual([...account.groups].sort());
      expect(account.groups).toHaveLength(3);
      expect(reopened).toBe('ok');
      expect(capabilities).toMatch(/:\s+0+$/);
      expect(end.exitCode).toBe(0);
    });

    test('may open its output again by name where it is a pipe', async () => {
      const { stdout } = await run('sh', ['-c', 'echo a > /dev/stdout'], { identity: account });
      expect(stdout).toBe(reopensOutput ? 'a\n' : '');
    });

    test('is killed with all processes that it left behind', async () => {
      const hosted = await start('sh', ['-c', '(setsid sleep 1000 &); echo ready'], { identity: account });
      await hosted.ended;
      const target = { ...targetOf(hosted, false), identity: account };
      expect(await kit.host.signal([target], 'SIGKILL')).toBe(1);
      await sealed(hosted.output.stdout);
    });

    test('a program that the account cannot run is refused before the start', async () => {
      const identity = account;
      const secret = join(kit.directory, 'tool');
      writeFileSync(secret, '#!/bin/sh\n', { mode: 0o755 });
      await expect(start(secret, [], { identity })).rejects.toMatchObject({ exitCode: 126 });
      await expect(start('no-such-program', [], { identity })).rejects.toMatchObject({ exitCode: 127 });
      await expect(start('true', [], { identity, cwd: kit.directory })).rejects.toThrow('no permission to enter cwd');
      chmodSync(kit.directory, 0o755);
      writeFileSync(secret, '#!/no/such/interpreter\n');
      await expect(start(secret, [], { identity })).rejects.toThrow('interpreter of');
      await expect(start('true', ['x'.repeat(200_000)], { identity })).rejects.toThrow('argument list too long');
    });
  });
});
