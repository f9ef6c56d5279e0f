import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayMount } from '../../../../scripts/testing/may-mount.ts';
import type { Identity } from '../account/identity.ts';
import {
  describeHosts,
  descriptorsComeTo,
  linux,
  openDescriptors,
  root,
  sealed,
  targetOf,
  textOf,
  zombies,
} from './process-host.fixture.ts';
import type { StartSpec } from './process-host.ts';
import { TestAccount } from './test-account.fixture.ts';

describeHosts((kit) => {
  const { start, run, kill, reopensOutput } = kit;

  describe.runIf(linux)('bounds', () => {
    test('a thousand in a row leave no zombie and no descriptor', async () => {
      await run('true');
      const before = openDescriptors();
      for (let index = 0; index < 1_000; index++) await run('/bin/true');
      expect(await descriptorsComeTo(before)).toBeLessThanOrEqual(before);
      await expect.poll(zombies).toEqual([]);
    }, 180_000);

    test('at least the newest half of the cap is kept of endless output', async () => {
      const cap = 1_000_000;
      const hosted = await start('sh', ['-c', 'yes | head -c 20000000; echo end'], { outputMaxBytes: cap });
      await hosted.ended;
      const { stdout } = hosted.output;
      expect(stdout.end).toBe(20_000_004);
      expect(stdout.retainedBytes).toBeLessThanOrEqual(cap);
      expect(stdout.retainedBytes).toBeGreaterThanOrEqual(cap / 2);
      expect((await textOf(stdout)).slice(-6)).toBe('y\nend\n');
    });

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

    test('disposal releases processes that still run', async () => {
      const hosted = await start('sleep', ['1000'], { stdin: 'pipe' });
      await kit.host[Symbol.asyncDispose]();
      await sealed(hosted.output.stdout);
      await kill(hosted, true);
      expect(await hosted.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      expect(readdirSync(join(kit.directory, 'scratch'))).toEqual([]);
    });
  });

  describe('what cannot be started', () => {
    const put = (name: string, content: string, mode = 0o755): string => {
      const path = join(kit.directory, name);
      writeFileSync(path, content);
      chmodSync(path, mode);
      return path;
    };

    test.each<[string, () => [string, Partial<StartSpec>?], 126 | 127, string]>([
      ['an unknown name', () => ['no-such-program'], 127, 'program not found: no-such-program'],
      ['an empty name', () => [''], 127, 'program not found: '],
      ['a missing path', () => ['/no/such/program'], 127, 'program not found: /no/such/program'],
      ['a directory', () => ['/usr'], 126, 'is a directory: /usr'],
      ['a plain file', () => [put('plain', 'x', 0o644)], 126, 'not executable: '],
      ['a missing interpreter', () => [put('script', '#!/no/such/interpreter\n')], 126, 'interpreter of '],
      ['a missing cwd', () => ['true', { cwd: '/no/such/dir' }], 126, 'cwd does not exist: /no/such/dir'],
      ['a file as cwd', () => ['true', { cwd: '/etc/passwd' }], 126, 'cwd is not a directory: /etc/passwd'],
      ['a NUL in the arguments', () => ['true', { args: ['\0'] }], 126, 'contains a NUL'],
      ['too long arguments', () => ['true', { args: ['x'.repeat(200_000)] }], 126, 'argument list too long'],
      ['too large an environment', () => ['true', { env: { PATH: '/bin', A: 'x'.repeat(200_000) } }], 126, 'too long'],
    ])('%s says so', async (_name, given, exitCode, message) => {
      const [file, more] = given();
      const before = openDescriptors();
      const failure = start(file, [], more);
      await expect(failure).rejects.toMatchObject({ name: 'StartFailure', exitCode });
      await expect(failure).rejects.toThrow(message);
      expect(await descriptorsComeTo(before)).toBeLessThanOrEqual(before);
      expect(readdirSync(join(kit.directory, 'output'))).toEqual([]);
    });

    test('a program is looked up on the PATH it is given, past what cannot be run', async () => {
      const [first, second] = ['first', 'second'].map((name) => join(kit.directory, name));
      for (const path of [first, second]) mkdirSync(String(path));
      put('first/tool', 'x', 0o644);
      const env = { PATH: `${first}:${second}` };
      await expect(start('tool', [], { env })).rejects.toMatchObject({ exitCode: 126 });
      put('second/tool', '#!/bin/sh\necho second\n');
      expect((await run('tool', [], { env })).stdout).toBe('second\n');
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
