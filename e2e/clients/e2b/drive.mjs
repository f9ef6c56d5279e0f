// Drives each verb of E2B's JavaScript SDK and code interpreter; prints "passed". Configured by E2B_*.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Sandbox } from '@e2b/code-interpreter';

const bytes = (text) => new TextEncoder().encode(text);

async function commands(sandbox) {
  const done = await sandbox.commands.run('echo out $FOO; echo err >&2');
  assert.deepEqual([done.stdout, done.stderr, done.exitCode], ['out bar\n', 'err\n', 0]);
  await assert.rejects(sandbox.commands.run('exit 9'), { exitCode: 9 });
  const cat = await sandbox.commands.run('cat', { background: true, stdin: true });
  await sandbox.commands.sendStdin(cat.pid, 'typed');
  await sandbox.commands.closeStdin(cat.pid);
  assert.equal((await cat.wait()).stdout, 'typed');
  const sleeping = await sandbox.commands.run('sleep 600', { background: true });
  assert((await sandbox.commands.list()).some(({ pid }) => pid === sleeping.pid));
  assert.equal(await sandbox.commands.kill(sleeping.pid), true);
  assert.equal(await sandbox.commands.kill(4_000_000), false);
  await assert.rejects(sandbox.commands.run('sleep 600', { timeoutMs: 1000 }), { name: 'TimeoutError' });
  const runs = await Promise.all(Array.from({ length: 32 }, (_, n) => sandbox.commands.run(`echo ${n}; sleep 0.2`)));
  assert.deepEqual(
    runs.map(({ stdout }) => stdout),
    Array.from({ length: 32 }, (_, n) => `${n}\n`),
  );
}

async function files(sandbox) {
  const home = (await sandbox.commands.run('pwd')).stdout.trim();
  assert.equal((await sandbox.files.write('js/ü.txt', 'text ü')).path, `${home}/js/ü.txt`);
  assert.equal(await sandbox.files.read('js/ü.txt'), 'text ü');
  assert.equal(await sandbox.files.read('js/ü.txt', { gzip: true }), 'text ü');
  assert.equal((await sandbox.files.read('js/ü.txt', { format: 'bytes' })).length, 7);
  assert.equal((await sandbox.files.read('js/ü.txt', { format: 'blob' })).size, 7);
  let size = 0;
  for await (const piece of await sandbox.files.read('js/ü.txt', { format: 'stream' })) size += piece.length;
  assert.equal(size, 7);
  await sandbox.files.write([
    { path: 'js/one', data: '1' },
    { path: 'js/two', data: new Blob(['2']) },
  ]);
  assert.deepEqual(
    (await sandbox.files.list('js')).map(({ name, type }) => [name, type]),
    [
      ['one', 'file'],
      ['two', 'file'],
      ['ü.txt', 'file'],
    ],
  );
  assert.deepEqual([await sandbox.files.makeDir('js/d'), await sandbox.files.makeDir('js/d')], [true, false]);
  assert.equal((await sandbox.files.getInfo('js/one')).size, 1);
  const metadata = { author: 'mish' };
  assert.deepEqual((await sandbox.files.write('js/two', '2', { metadata })).metadata, metadata);
  assert.deepEqual((await sandbox.files.getInfo('js/two')).metadata, metadata);
  assert.equal((await sandbox.files.rename('js/one', 'js/d/three')).path, `${home}/js/d/three`);
  assert.deepEqual([await sandbox.files.exists('js/d/three'), await sandbox.files.exists('js/one')], [true, false]);
  await assert.rejects(sandbox.files.read('js/none'), { name: 'FileNotFoundError' });
  const events = [];
  const watch = await sandbox.files.watchDir('js', ({ type, name }) => void events.push(`${type} ${name}`));
  await sandbox.files.write('js/w', 'w');
  for (let i = 0; i < 100 && !events.includes('create w'); i += 1) await pause(50);
  assert(events.includes('create w'), String(events));
  await watch.stop();
  const url = await sandbox.downloadUrl('js/ü.txt', { useSignatureExpiration: 60 });
  assert.equal(await (await fetch(url)).text(), 'text ü');
  await sandbox.files.remove('js');
  assert.equal(await sandbox.files.exists('js'), false);
}

async function terminals(sandbox) {
  let output = '';
  const onData = (data) => {
    output += new TextDecoder().decode(data);
  };
  const terminal = await sandbox.pty.create({ cols: 80, rows: 24, onData });
  await sandbox.pty.resize(terminal.pid, { cols: 101, rows: 31 });
  await sandbox.pty.sendInput(terminal.pid, bytes('stty size; exit 5\n'));
  await assert.rejects(terminal.wait(), { exitCode: 5 });
  assert(output.includes('31 101'), output);
}

async function code(sandbox) {
  const run = await sandbox.runCode('x = 1\nprint("p")\nx + 1');
  assert.deepEqual([run.text, run.logs.stdout], ['2', ['p\n']]);
  assert.equal((await sandbox.runCode('1 / 0')).error?.name, 'ZeroDivisionError');
  const context = await sandbox.createCodeContext({ cwd: '/tmp' });
  assert.equal((await sandbox.runCode('import os; os.getcwd()', { context })).text, '/tmp');
  await sandbox.removeCodeContext(context);
}

async function control(sandbox) {
  const { sandboxId } = sandbox;
  assert.deepEqual((await sandbox.getInfo()).metadata, { team: 'a b' });
  const found = await Sandbox.list({ query: { metadata: { team: 'a b' } } }).nextItems();
  assert.deepEqual(
    found.map((one) => one.sandboxId),
    [sandboxId],
  );
  assert((await sandbox.getMetrics()).length > 0);
  await sandbox.setTimeout(600_000);
  assert.equal((await (await Sandbox.connect(sandboxId)).commands.run('echo same')).stdout, 'same\n');
  await assert.rejects(Sandbox.create(), { name: 'RateLimitError' });
}

const sandbox = await Sandbox.create({ timeoutMs: 300_000, metadata: { team: 'a b' }, envs: { FOO: 'bar' } });
for (const part of [commands, files, terminals, code, control]) await part(sandbox);
assert.equal(await sandbox.isRunning(), true);
assert.equal(await sandbox.kill(), true);
assert.equal(await sandbox.isRunning(), false);
process.stdout.write('passed\n', () => process.exit());
