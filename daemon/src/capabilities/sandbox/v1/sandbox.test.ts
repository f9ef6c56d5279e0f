import { symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { VERSION } from '@sandbox/api/version.ts';
import { expect, test } from 'vitest';
import { identityOfCommands, TestApp } from '../../../app.fixture.ts';
import { expectValid } from '../../../wire.fixture.ts';
import { Place } from '../place.fixture.ts';

test('[sandbox.v1-context] [sandbox.v1-wire] the fields of 1.x stand beside the text, with their types', async () => {
  await using daemon = await TestApp.start();
  const body = (await daemon.inject('/v1/sandbox')).json();
  const { home, name } = identityOfCommands();
  expect(body).toMatchObject({ success: true, hint: null, home_dir: home, workspace: home, version: VERSION });
  expectValid('SandboxResponse', body);
  expect(body.detail.system).toMatchObject({ user: name, home_dir: home, workspace: home, os: expect.any(String) });
  expect(Object.keys(body.detail.system).sort()).toEqual(
    ['arch', 'home_dir', 'occupied_ports', 'os', 'os_version', 'timezone', 'user', 'workspace'].sort(),
  );
});

test.runIf(process.platform === 'linux')(
  '[sandbox.v1-summary] the text names what a model needs, a port in use too',
  async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await using _closed = { [Symbol.asyncDispose]: async () => void server.close() };
    const port = String((server.address() as { port: number }).port);
    await using daemon = await TestApp.start();
    const { data, detail } = (await daemon.inject('/v1/sandbox')).json();
    expect(detail.system.occupied_ports).toContain(port);
    for (const text of [detail.system.user, detail.system.home_dir, detail.system.timezone, port]) {
      expect(data).toContain(text);
    }
    for (const word of ['System: ', 'Python: ', 'Node.js: ', '- shell: ']) expect(data).toContain(word);
  },
);

test('[sandbox.v1-runtime] an interpreter is listed once, with its version, path and other names', async () => {
  await using place = await Place.make();
  const { bin } = place;
  await place.program('python3.99', 'echo Python 3.99.1');
  for (const name of ['python3', 'python']) await symlink('python3.99', join(bin, name));
  await place.program('node', 'exit 1');
  await writeFile(join(bin, 'node22'), '', { mode: 0o644 });
  await place.variable('PATH', `${bin}:${bin}`);
  await using daemon = await TestApp.start({ envDir: place.env });
  expect((await daemon.inject('/v1/sandbox')).json().detail.runtime).toEqual({
    python: [{ ver: '3.99.1', bin: join(bin, 'python'), alias: ['python3', 'python3.99'] }],
    nodejs: [{ ver: null, bin: join(bin, 'node'), alias: [] }],
  });
});

test('[sandbox.v1-utils] tools by kind are what is on the PATH of commands, by the name to type', async () => {
  await using place = await Place.make();
  for (const name of ['git', 'jq', 'unknown-tool']) await place.program(name);
  await place.onlyPath();
  await using daemon = await TestApp.start({ envDir: place.env });
  expect((await daemon.inject('/v1/sandbox')).json().detail.utils).toEqual([
    { category: 'shell', tools: [{ name: 'jq', description: 'JSON processor' }] },
    { category: 'version control', tools: [{ name: 'git', description: 'version control' }] },
  ]);
});

test.each(['python', 'nodejs'])('[sandbox.packages] %s: the same text as on v2', async (language) => {
  await using daemon = await TestApp.start();
  const body = (await daemon.inject(`/v1/sandbox/packages/${language}`)).json();
  expectValid('Response', body);
  expect(body.data).toBe((await daemon.inject(`/v2/sandbox/packages?lang=${language}`)).json().data);
});

test('[sandbox.capabilities] each section says what its capability found', async () => {
  await using daemon = await TestApp.start({ browserPort: 1 });
  const { data } = (await daemon.inject('/v1/capabilities')).json();
  expect(data).toMatchObject({
    files: true,
    exec: { pty: true, tmux: expect.any(Boolean), rg: expect.any(Boolean), backend: 'native' },
    code_interpreter: { backend: 'native', python_kernels: expect.any(Array), missing: expect.any(Array) },
    browser: false,
    computer: { status: 'absent' },
  });
});

test.each(['', '=', '=1', '=true'])('[sandbox.capabilities-cached] ?refresh%s looks again', async (value) => {
  await using place = await Place.make();
  await place.program('rg');
  const path = process.env['PATH'];
  await using daemon = await TestApp.start();
  process.env['PATH'] = '/nonexistent';
  try {
    expect((await daemon.inject('/v1/capabilities')).json().data.exec.rg).toBe(false);
    process.env['PATH'] = place.bin;
    expect((await daemon.inject('/v1/capabilities')).json().data.exec.rg).toBe(false);
    expect((await daemon.inject('/v1/capabilities?refresh=false')).json().data.exec.rg).toBe(false);
    expect((await daemon.inject(`/v1/capabilities?refresh${value}`)).json().data.exec.rg).toBe(true);
  } finally {
    process.env['PATH'] = path;
  }
});

test('[activity.polling] a refreshed survey, a listing and a look at a file do not count', async () => {
  await using daemon = await TestApp.start();
  const activity = async () => (await daemon.inject('/v2/sandbox/activity')).json().data;
  const before = await activity();
  expect((await daemon.inject('/v1/capabilities?refresh=1')).statusCode).toBe(200);
  for (const route of ['list', 'stat']) await daemon.post(`/v1/file/${route}`, { path: '/' });
  expect(await activity()).toEqual(before);
});
