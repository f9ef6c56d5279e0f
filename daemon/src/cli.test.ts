import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOptions } from '@sandbox/program/options.ts';
import { describe, expect, test } from 'vitest';
import { programCommand } from '../../scripts/program-command.ts';
import { COMPILE_CACHE } from '../../scripts/testing/compile-cache.ts';
import { DaemonOptions, readConfig } from './config.ts';
import { DaemonProcess } from './daemon-process.fixture.ts';
import { hasKeeper } from './hosts.fixture.ts';

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program as a user does. */
function sandboxd(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...COMPILE_CACHE, ...env }, timeout: 80_000 };
    const [file = '', ...own] = programCommand('sandboxd');
    execFile(file, [...own, ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

describe('sandboxd', () => {
  test('--help names every option with its variable and its flag', async () => {
    const { code, stdout } = await sandboxd(['--help']);
    expect(code).toBe(0);
    for (const { env, flag } of describeOptions(DaemonOptions)) {
      expect(stdout).toContain(env);
      expect(stdout).toContain(flag);
    }
  });

  test('check ends without a word where every option is right', async () => {
    expect(await sandboxd(['check'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('version and print-openapi print and end', async () => {
    for (const word of ['version', '--version', '-V']) {
      expect([word, (await sandboxd([word])).stdout]).toEqual([word, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
    }
    const printed = JSON.parse((await sandboxd(['print-openapi', 'v1'])).stdout);
    expect(Object.keys(printed.paths)).toContain('/v1/bash/exec');
    expect(await sandboxd(['print-openapi', 'v3'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^sandboxd: .*v3.*\n$/),
    });
  });

  test('doctor says what is there, what is missing and how to get it', async () => {
    const { stdout, code } = await sandboxd(['doctor', '--json'], {
      SVC_RUNTIME_DIR: join(tmpdir(), `not-there-${process.pid}`),
    });
    const { checks } = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'shell', ok: true, detail: expect.stringMatching(/^\/.*sh$/) }),
    );
    for (const check of checks) if (!check.ok) expect(check).toMatchObject({ hint: expect.stringMatching(/\w/) });
    const broken = await sandboxd(['doctor', '--default-user', 'nobody-by-that-name'], { PATH: '/nowhere' });
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/missing shell: no bash or sh on PATH; install bash\n/);
    expect(broken.stdout).toMatch(/missing default user: user does not exist: nobody-by-that-name/);
  });

  test.each([
    [['--port', 'abc'], {}, 'SVC_PORT (--port): expected a whole number from 0 to 65535, got "abc"'],
    [[], { SVC_PORT: '70000' }, 'SVC_PORT (--port): expected a whole number from 0 to 65535, got "70000"'],
    [
      [],
      { SVC_TRUSTED_PROXIES: 'x' },
      'SVC_TRUSTED_PROXIES (--trusted-proxies): expected addresses, networks (10.0.0.0/8) or the word loopback, got "x"',
    ],
    [[], { LOG_LEVEL: 'loud' }, /^sandboxd: LOG_LEVEL \(--log-level\): expected one of .*, got "loud"$/],
    [[], { SVC_RUNTIME_DIR: 'here' }, 'SVC_RUNTIME_DIR (--runtime-dir): expected an absolute path, got "here"'],
    [['--no-such-flag'], {}, /no-such-flag/],
    [['dance'], {}, 'unknown command "dance"; sandboxd --help lists them'],
    [['--api-key', 'two words'], {}, 'SVC_API_KEY (--api-key): expected visible ASCII characters'],
    [['check'], { SVC_PORT: 'abc' }, 'SVC_PORT (--port): expected a whole number from 0 to 65535, got "abc"'],
    [['check'], { SVC_DEFAULT_USER: 'ghost' }, 'SVC_DEFAULT_USER (--default-user): no such account, got "ghost"'],
    [[], { SVC_DEFAULT_USER: 'ghost' }, 'SVC_DEFAULT_USER (--default-user): no such account, got "ghost"'],
  ])('a wrong value ends the boot with one line that names it: %j %j', async (args, env, line) => {
    const { code, stdout, stderr } = await sandboxd(args, env);
    expect([code, stdout]).toEqual([2, '']);
    const lines = stderr.split('\n').filter(Boolean);
    expect(lines).toHaveLength(1);
    if (typeof line === 'string') expect(lines[0]).toBe(`sandboxd: ${line}`);
    else expect(lines[0]).toMatch(line);
  });

  test('a keeper that is demanded and is not there ends the boot with one line, and is missing for the doctor', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sandboxd-cli-'));
    const env = { SVC_RUNTIME_DIR: directory, SVC_KEEPER_PROGRAM: '/no/such/keeper', LOG_LEVEL: 'fatal' };
    try {
      expect(await sandboxd(['--port', '0'], env)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^sandboxd: no process keeper can be run at \/no\/such\/keeper; .*\n$/),
      });
      const doctor = await sandboxd(['doctor'], env);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(/missing process keeper: none at \/no\/such\/keeper: .*; apt-get install gcc/);
      const isOfTrees = /checkpoints: none at \/no\/such\/keeper-tree: .* answer 501; apt-get install gcc/;
      if (process.platform === 'linux') expect(doctor.stdout).toMatch(isOfTrees);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test.runIf(hasKeeper)(
    'reap ends what a daemon that was killed has left, and nothing of one that serves',
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'sandboxd-cli-'));
      const env = { SVC_RUNTIME_DIR: directory, SVC_STOP_GRACE_SECONDS: '0.2' };
      try {
        const daemon = await DaemonProcess.start(directory);
        const { pid } = await daemon.data('/v2/commands', { command: 'trap "" TERM; exec sleep 608', mode: 'async' });
        expect(await sandboxd(['reap'], env)).toMatchObject({
          code: 1,
          stderr: `sandboxd: another daemon holds the runtime directory ${directory}\n`,
        });
        expect(existsSync(`/proc/${pid}`)).toBe(true);
        await daemon.stop('SIGKILL');
        expect(await sandboxd(['reap'], env)).toMatchObject({ code: 0, stderr: '' });
        await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
        expect(await sandboxd(['reap'], env)).toMatchObject({ code: 0, stderr: '' });
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  );

  test('a port that is in use ends the boot with one line', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sandboxd-cli-'));
    try {
      await using first = await DaemonProcess.start(join(directory, 'a'));
      const { port } = new URL(first.base);
      const second = await sandboxd(['--port', port], { SVC_RUNTIME_DIR: join(directory, 'b'), LOG_LEVEL: 'fatal' });
      expect(second).toMatchObject({
        code: 1,
        stderr: `sandboxd: cannot listen on 127.0.0.1:${port}: the port is in use\n`,
      });
      const third = await sandboxd(['--port', '0'], { SVC_RUNTIME_DIR: join(directory, 'a'), LOG_LEVEL: 'fatal' });
      expect(third).toMatchObject({
        code: 1,
        stderr: `sandboxd: another daemon holds the runtime directory ${join(directory, 'a')}\n`,
      });
      expect((await stat(join(directory, 'a'))).mode & 0o777).toBe(0o700);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

test('the flag wins over its variable, an empty variable is unset', () => {
  expect(readConfig(['--port=1'], { SVC_PORT: '2' }).port).toBe(1);
  expect(readConfig([], { SVC_PORT: '2' }).port).toBe(2);
  expect(readConfig([], { SVC_PORT: '' }).port).toBe(8091);
  expect(readConfig(['--validate-responses'], {}).validateResponses).toBe(true);
  expect(readConfig([], { SVC_ALLOWED_HOSTS: ' a.example, ,b.example ' }).allowedHosts).toEqual([
    'a.example',
    'b.example',
  ]);
});
