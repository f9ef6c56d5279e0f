import { existsSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { has } from '../../scripts/testing/machine.ts';
import { mayMount } from '../../scripts/testing/may-mount.ts';
import { SmallDisk } from '../../scripts/testing/small-disk.ts';
import { TestApp } from './app.fixture.ts';

if (!mayMount) process.stdout.write('left out: a full disk needs root on Linux, outside a container, to mount one\n');

const tool = (name: string, given: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** Ways of an agent to remove a file. */
const WAYS: readonly (readonly [way: string, remove: (daemon: TestApp, path: string) => Promise<unknown>])[] = [
  ['a command', (daemon, path) => daemon.post('/v2/commands', { command: `rm ${path}` })],
  ['a command of v1', (daemon, path) => daemon.post('/v1/shell/exec', { command: `rm ${path}` })],
  ['bash of v1', (daemon, path) => daemon.post('/v1/bash/exec', { command: `rm ${path}` })],
  ['a call of files', (daemon, path) => daemon.post('/v2/fs/delete', { path })],
  ['bash of MCP', (daemon, path) => daemon.post('/mcp', tool('sandbox_execute_bash', { cmd: `rm ${path}` }))],
  ['a terminal', (daemon, path) => daemon.post('/v2/pty/sessions/t/exec', { command: `rm ${path}` })],
];
const CELLS: typeof WAYS = [
  [
    'a cell of Python',
    (daemon, path) => daemon.post('/v2/code/execute', { language: 'python', code: `import os; os.remove("${path}")` }),
  ],
  [
    'a cell of JavaScript',
    (daemon, path) =>
      daemon.post('/v2/code/execute', { language: 'javascript', code: `require("node:fs").unlinkSync("${path}")` }),
  ],
  [
    'a cell of MCP',
    (daemon, path) => daemon.post('/mcp', tool('sandbox_execute_code', { code: `import os; os.remove("${path}")` })),
  ],
];

test.runIf(mayMount).each([...WAYS, ...(has('ipykernel') ? CELLS : [])])(
  '[late.full-temporary] %s deletes what has filled the temporary directory',
  async (_way, remove) => {
    await using disk = await SmallDisk.mount(4);
    await using daemon = await TestApp.start();
    vi.stubEnv('TMPDIR', disk.path);
    onTestFinished(() => void vi.unstubAllEnvs());
    await using full = await TestApp.start({}, `${daemon.directory}-full`);
    await full.post('/v2/pty/sessions', { id: 't' });
    const file = disk.fill();
    const answer = await remove(full, file);
    expect(existsSync(file), JSON.stringify((answer as { body: string }).body)).toBe(false);
  },
);

test.runIf(mayMount)(
  '[late.full-temporary] a daemon starts while the temporary directory is full, and bash keeps its directory',
  async () => {
    await using disk = await SmallDisk.mount(1);
    await using other = await TestApp.start();
    vi.stubEnv('TMPDIR', disk.path);
    onTestFinished(() => void vi.unstubAllEnvs());
    disk.fill();
    await using daemon = await TestApp.start({}, `${other.directory}-full`);
    await daemon.post('/mcp', tool('sandbox_execute_bash', { cmd: 'cd /usr' }));
    const { body } = await daemon.post('/mcp', tool('sandbox_execute_bash', { cmd: 'pwd' }));
    expect(body).toContain('/usr');
  },
);
