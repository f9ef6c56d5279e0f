import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  describeHosts,
  descriptorsComeTo,
  linux,
  openDescriptors,
  sealed,
  textOf,
  zombies,
} from './process-host.fixture.ts';
import type { StartSpec } from './process-host.ts';

describeHosts((kit) => {
  const { start, run, kill } = kit;

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
});
