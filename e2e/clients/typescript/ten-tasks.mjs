// Ten tasks with the published client, in whatever runs it: Node, Deno, Bun, or a page.

/** @returns what is wrong; empty: nothing */
export async function tenTasks(Sandbox, options, hasFiles) {
  const faults = [];
  const expect = (task, seen, wanted) => {
    if (JSON.stringify(seen) !== JSON.stringify(wanted)) faults.push(`${task}: ${JSON.stringify(seen)}`);
  };
  const sandbox = await Sandbox.connect(options);
  const home = (await sandbox.run('mktemp -d')).stdout.trim();

  expect('run', (await sandbox.run('echo out; exit 3', { check: false })).exitCode, 3);

  let streamed = '';
  await sandbox.run('for i in 1 2 3; do echo $i; sleep 0.1; done', { onOutput: (text) => (streamed += text) });
  expect('stream', streamed, '1\n2\n3\n');

  const { id } = await sandbox.spawn('seq 1 1000');
  let lines = 0;
  for await (const _ of sandbox.command(id).lines({ offset: 0 })) lines += 1;
  expect('reconnect', lines, 1000);

  await sandbox.files.write(`${home}/a`, 'text 😀');
  expect('write and read', await sandbox.files.read(`${home}/a`), 'text 😀');

  const big = new Uint8Array(6 * 1024 ** 2).fill(7);
  await sandbox.files.write(`${home}/big`, big);
  expect('big file', (await sandbox.files.stat(`${home}/big`)).size, big.length);

  const notebook = sandbox.notebook('javascript');
  await notebook.run('globalThis.kept = 20');
  expect('code', (await notebook.run('kept + 1')).text, '21');
  await notebook[Symbol.asyncDispose]();

  const shell = await sandbox.terminal({ cols: 100 });
  await shell.write('echo a""b\n');
  const until = Date.now() + 30_000;
  while (!(await shell.screen()).output.includes('ab') && Date.now() < until);
  expect('terminal', (await shell.screen()).output.includes('ab'), true);
  await shell.close();

  const serve =
    "require('http').createServer((q, r) => r.end('hi')).listen(0, function () { console.log(this.address().port) })";
  const server = await sandbox.spawn(`node -e "${serve}"`);
  let port = 0;
  for await (const line of server.lines()) {
    port = Number(line);
    break;
  }
  expect('server', (await server.port(port)).endsWith(`/proxy/${port}/`), true);
  await server.kill();

  const seen = [];
  const watch = await sandbox.files.watch(home, (event) => seen.push(event.type));
  for (let count = 0; seen.length === 0 && count < 100; count++) await sandbox.files.write(`${home}/w${count}`, 'x');
  await watch[Symbol.asyncDispose]();
  expect('watch', seen.length > 0, true);

  expect('tools', (await sandbox.tools('anthropic')).definitions.length > 5, true);

  if (hasFiles) {
    await sandbox.files.pull(home, `${hasFiles}/pulled`);
    await sandbox.files.push(`${hasFiles}/pulled`, `${home}-pushed`);
    expect('push and pull', await sandbox.files.read(`${home}-pushed/a`), 'text 😀');
  }
  await sandbox.run(`rm -r ${home} ${home}-pushed; true`);
  return faults;
}
