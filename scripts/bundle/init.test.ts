import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { beforeAll, expect, test } from 'vitest';
import { buildInit } from '../build/init.ts';
import { ROOT } from '../root.ts';
import { type TempDir, tempDir } from '../testing/temp-dir.ts';

const INIT = join(ROOT, 'dist/init-of-tests/sandbox');

beforeAll(async () => {
  await buildInit(ROOT, INIT);
});

interface Init extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly directory: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly code: Promise<number>;
}

/** Starts `sandbox serve ARGS` of a bundle whose services are a script of the shell. */
async function start(services: string, args: readonly string[], env: Record<string, string> = {}): Promise<Init> {
  const directory = await tempDir();
  await layOut(directory, services);
  const child = spawn(join(directory.path, 'bin/sandbox'), ['serve', ...args], {
    cwd: directory.path,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  const code = once(child, 'exit').then(([status]) => Number(status));
  return {
    child,
    directory: directory.path,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    code,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await code;
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function layOut({ path }: TempDir, services: string): Promise<void> {
  await mkdir(join(path, 'bin'));
  await copyFile(INIT, join(path, 'bin/sandbox'));
  await writeFile(join(path, 'bin/node'), `#!/bin/sh\n${services}\n`);
  await chmod(join(path, 'bin/node'), 0o755);
}

const WAITING = `trap 'kill $!; echo stopped >> services; exit 0' TERM; sleep 60 & echo up >> services; wait`;

async function untilUp({ directory }: Init): Promise<void> {
  await expect.poll(() => readFile(join(directory, 'services'), 'utf8').catch(() => '')).toContain('up');
}

test('[embed.code] the exit code is that of the command, and the services stop after it', async () => {
  await using init = await start(WAITING, ['--', 'sh', '-c', 'until grep -qs up services; do :; done; exit 7']);
  expect(await init.code).toBe(7);
  expect(await readFile(join(init.directory, 'services'), 'utf8')).toBe('up\nstopped\n');
});

test('[embed.signals] the command gets the signals, and what ends it is the exit code', async () => {
  await using caught = await start(WAITING, [
    '--',
    'sh',
    '-c',
    `trap 'echo usr1' USR1; trap 'kill $!; trap - TERM; kill $$' TERM; sleep 60 & echo on; wait; wait`,
  ]);
  await untilUp(caught);
  await expect.poll(() => caught.stdout()).toBe('on\n');
  caught.child.kill('SIGUSR1');
  await expect.poll(() => caught.stdout()).toBe('on\nusr1\n');
  caught.child.kill('SIGTERM');
  expect(await caught.code).toBe(143);
});

test('[embed.reaped] what has lost its parent is reaped while the command runs', async () => {
  const orphan = '(sh -c "exit 3" & echo $! > orphan); exec sleep 60';
  await using init = await start(WAITING, ['--', 'sh', '-c', orphan]);
  const pidOf = async () => Number(await readFile(join(init.directory, 'orphan'), 'utf8').catch(() => '0'));
  await expect.poll(pidOf).toBeGreaterThan(0);
  const pid = await pidOf();
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
});

test('[embed.secret] the services get the key; the command and the first process do not show it', async () => {
  const services = `echo "services $SVC_API_KEY $SANDBOX_API_KEY" >&2; ${WAITING}`;
  const look = 'echo "command $SVC_API_KEY$SANDBOX_API_KEY"; tr "\\0" "\\n" < /proc/$PPID/environ | grep -c secret';
  const env = { SVC_API_KEY: 'secret-a', SANDBOX_API_KEY: 'secret-b' };
  await using init = await start(services, ['--', 'sh', '-c', look], env);
  await init.code;
  expect(init.stdout()).toBe('command \n0\n');
  expect(init.stderr()).toContain('services secret-a secret-b');
});

test('[embed.output] the output of the services is on stderr', async () => {
  await using init = await start(`echo services; ${WAITING}`, [
    '--',
    'sh',
    '-c',
    'until grep -qs up services; do :; done; echo own',
  ]);
  await init.code;
  expect([init.stdout(), init.stderr()]).toEqual(['own\n', 'services\n']);
});

test('[embed.restart] services that a signal ends start again, and the command goes on', async () => {
  const services = '[ -e services ] || { echo up > services; kill -9 $$; }; echo again >> services; exec sleep 60';
  await using init = await start(services, ['--', 'sh', '-c', 'until grep -qs again services; do sleep 0.05; done']);
  expect(await init.code).toBe(0);
  expect(init.stderr()).toContain('sandbox: the services ended with code 137; they start again in 1 s\n');
});

test('[embed.refused] services that cannot start end the command', async () => {
  await using init = await start('echo "wrong option" >&2; exit 2', ['--bad', '--', 'sleep', '60']);
  expect(await init.code).toBe(2);
});

test.each([
  [['--', 'no-such-program'], 127, 'sandbox: no-such-program: No such file or directory\n'],
  [['--', '/etc/passwd'], 126, 'sandbox: /etc/passwd: Permission denied\n'],
])('[embed.missing] a command that does not start is said: %j', async (args, code, says) => {
  await using init = await start(WAITING, args);
  expect(await init.code).toBe(code);
  expect(init.stderr()).toContain(says);
});

test('[embed.arguments] options go to the services, and without a command they run alone', async () => {
  await using init = await start(`echo "$@"; ${WAITING}`, ['--port', '8123', '--']);
  await untilUp(init);
  await expect.poll(() => init.stdout()).toBe(`${init.directory}/product/serve.mjs --port 8123\n`);
  init.child.kill('SIGTERM');
  expect(await init.code).toBe(0);
});

test('[embed.library] a Node that the system cannot run is said', async () => {
  await using directory = await tempDir();
  await layOut(directory, 'exit 0');
  await writeFile(join(directory.path, 'bin/node'), '#!/no/such/loader\n');
  for (const args of [
    ['serve', '--', 'sleep', '60'],
    ['run', '--', 'true'],
  ]) {
    const child = spawn(join(directory.path, 'bin/sandbox'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let says = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      says += text;
    });
    expect(await once(child, 'close')).toEqual([126, null]);
    expect(says).toBe(
      `sandbox: ${directory.path}/bin/node: it does not run here: it needs glibc 2.28 or newer and a processor of its own kind\n`,
    );
  }
});
