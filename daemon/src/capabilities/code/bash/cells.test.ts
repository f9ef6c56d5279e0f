import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { cellsOf, failureOf } from '../languages.fixture.ts';

const PATIENCE_MS = 60_000;

test('[bash.state] directory, variables, functions and jobs stay', async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'bash');
  await run('cd /usr; x=5; declare -A m=([a]=1); f() { echo "f$1"; }; export Y=env; shopt -s nullglob');
  const seen = await run("pwd; declare -p m; echo $x; f 2; sh -c 'echo $Y'; shopt -q nullglob && echo set");
  expect(seen).toMatchObject({
    status: 'ok',
    exit_code: 0,
    stdout: '/usr\ndeclare -A m=([a]="1" )\n5\nf2\nenv\nset\n',
    stderr: '',
  });
  expect(await run('sleep 303 & echo begun')).toMatchObject({ status: 'ok', stdout: 'begun\n', stderr: '' });
  expect((await run('jobs -r | wc -l; kill %1; wait')).stdout).toBe('1\n');
  expect((await run('echo "$x"')).stdout).toBe('5\n');
});

test('[bash.streams] codes, streams and stdin of cells', async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'bash');
  const cell = await run('echo out; echo err >&2; cat; read -r line || echo none; (exit 7)');
  expect(cell).toMatchObject({ status: 'error', exit_code: 7, stdout: 'out\nnone\n', stderr: 'err\n' });
  expect(await run('return 4; echo no')).toMatchObject({ exit_code: 4, stdout: '' });
  expect(await run('nosuch')).toMatchObject({ exit_code: 127, stderr: 'bash: nosuch: command not found\n' });
  expect(await run('echo "open')).toMatchObject({ exit_code: 2, stderr: expect.stringContaining('unexpected EOF') });
  expect(await run('if true; then')).toMatchObject({ exit_code: 2, stderr: expect.stringContaining('syntax error') });
  expect(await run('cat <<EOF\n$((1 + 1)) \\$x\nEOF')).toMatchObject({ stdout: '2 $x\n' });
  expect(await run(`x='${'y'.repeat(300_000)}'\necho \${#x}`)).toMatchObject({ stdout: '300000\n' });
  expect(await run('exec >/dev/null; echo lost; echo err >&2')).toMatchObject({
    status: 'ok',
    stdout: '',
    stderr: 'err\n',
  });
  expect(await run('printf "\\x1e%s 0\\x1e" 0123 >&250; echo garbage >&251')).toMatchObject({ exit_code: 0 });
});

test('[bash.exit] exit ends the session with its code', async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'bash');
  await run('x=1');
  const left = await run('echo last; exit 3');
  expect(left).toMatchObject({ status: 'error', exit_code: 3, stdout: 'last\n' });
  expect(failureOf(left)?.ename).toBe('ProcessExit');
  expect(await run('echo "<$x>"')).toMatchObject({ status: 'ok', stdout: '<>\n' });
  expect(await run('set -e; false; echo no')).toMatchObject({ status: 'error', exit_code: 1, stdout: '' });
  expect(await run('kill -KILL $$')).toMatchObject({ status: 'error', signal: 'SIGKILL' });
  expect(await cellsOf(daemon, 'bash', {})('echo $$; exit 5')).toMatchObject({ exit_code: 5, session_id: null });
});

test.each([
  'sleep 304',
  'while :; do :; done',
  'f() { sleep 304; echo inner; }; f',
  'cat /dev/zero | wc -c',
  'sleep 304 & wait',
])('[bash.timeout] after its timeout nothing of the cell runs: %s', { timeout: PATIENCE_MS }, async (code) => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'bash');
  await run('kept=1');
  const ended = await run(`echo begun; ${code}; echo after\necho later`, { timeout: 1 });
  expect(ended).toMatchObject({ status: 'timeout', stdout: 'begun\n' });
  expect(await run('echo $kept')).toMatchObject({ status: 'ok', stdout: '1\n' });
});

test('[bash.timeout] a cell that ignores the interrupt is killed with its session', {
  timeout: PATIENCE_MS,
}, async () => {
  await using daemon = await TestApp.start();
  const run = cellsOf(daemon, 'bash');
  await run('kept=1');
  expect(await run("trap '' INT; while :; do :; done", { timeout: 1 })).toMatchObject({ status: 'timeout' });
  expect(await run('echo "<$kept>"')).toMatchObject({ status: 'ok', stdout: '<>\n' });
});
