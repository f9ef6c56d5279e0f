import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type TempDir, tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';
import { errorOf, PATIENCE_MS, python, resultOf, testKernels } from './cells.fixture.ts';
import { tinyProject, tinyWheel } from './tiny-packages.fixture.ts';

let place: TempDir;
let before: string | undefined;

beforeEach(async () => {
  place = await tempDir();
  before = process.env['PYTHONUSERBASE'];
  // It does not exist, as ~/.local of a fresh container.
  process.env['PYTHONUSERBASE'] = join(place.path, 'local');
});
afterEach(async () => {
  if (before === undefined) delete process.env['PYTHONUSERBASE'];
  else process.env['PYTHONUSERBASE'] = before;
  await place[Symbol.asyncDispose]();
});

const PIP =
  '-m pip install -q --user --no-index --no-build-isolation --break-system-packages --root-user-action=ignore';

/** The daemon, whose Python is that of the system, with a session that has run a cell. */
async function begin(): Promise<TestApp> {
  const daemon = await TestApp.start();
  expect((await python(daemon, 'print(1)', { session_id: 's' })).stdout).toBe('1\n');
  return daemon;
}

const wheels = (name: string, module?: string) => tinyWheel(join(place.path, 'wheels'), name, module);

async function install(daemon: TestApp, what: string): Promise<void> {
  const done = await daemon.run(`/usr/bin/python3 ${PIP} ${what}`);
  expect([done.exit_code, done.stderr]).toEqual([0, '']);
}

const imported = async (daemon: TestApp, name: string, more: object = {}): Promise<unknown> =>
  resultOf(await python(daemon, `import ${name}\n${name}.value`, more));

testKernels(
  '[code.installed] what a command installed is imported in running, new and restarted sessions, and by every route',
  async () => {
    await using daemon = await begin();
    expect(errorOf(await python(daemon, 'import firstone', { session_id: 's' }))).toBe('ModuleNotFoundError');
    await install(daemon, `--find-links ${wheels('firstone')} firstone`);
    expect(await imported(daemon, 'firstone', { session_id: 's' })).toBe("'firstone'");
    expect(await imported(daemon, 'firstone', { session_id: 'new' })).toBe("'firstone'");
    expect(await imported(daemon, 'firstone')).toBe("'firstone'");
    const version = 'from importlib.metadata import version\nversion("firstone")';
    expect(resultOf(await python(daemon, version, { session_id: 's' }))).toBe("'1.0'");
    await daemon.post('/v2/code/sessions/s/restart');
    expect(await imported(daemon, 'firstone', { session_id: 's' })).toBe("'firstone'");
    const code = 'import firstone\nprint(firstone.value)';
    for (const route of ['/v1/code/execute', '/v1/jupyter/execute']) {
      const { data } = (await daemon.post(route, { language: 'python', code })).json();
      expect([route, data.outputs[0]?.text]).toEqual([route, 'firstone\n']);
    }
    const params = { name: 'sandbox_execute_code', arguments: { code } };
    const tool = await daemon.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(tool.json().result.content).toEqual([{ type: 'text', text: 'firstone\n' }]);
    // The directory is there now: a second package, and one of the system's order.
    await install(daemon, `--find-links ${wheels('secondone')} secondone`);
    expect(await imported(daemon, 'secondone', { session_id: 's' })).toBe("'secondone'");
    const order =
      'import site, sys\nsys.path.index(site.getusersitepackages()) < sys.path.index("/usr/lib/python3/dist-packages")';
    expect(resultOf(await python(daemon, order, { session_id: 'new' }))).toBe('True');
  },
  PATIENCE_MS,
);

testKernels(
  '[code.installed] kernels that were forked, and those of a zygote that began, before the first installation import it',
  async () => {
    await using daemon = await begin();
    const zygotes = async () => /^code_zygotes (\d+)/m.exec((await daemon.inject('/metrics')).body)?.[1];
    await expect.poll(zygotes, { timeout: 60_000 }).toBe('1');
    const parent = '"-f" not in open("/proc/self/cmdline").read().split("\\0")';
    expect(resultOf(await python(daemon, parent, { session_id: 'forked' }))).toBe(hasKeeper ? 'True' : 'False');
    await install(daemon, `--find-links ${wheels('lateone')} lateone`);
    for (const more of [{ session_id: 'forked' }, { session_id: 'new' }, {}]) {
      expect([more, await imported(daemon, 'lateone', more)]).toEqual([more, "'lateone'"]);
    }
    await expect.poll(zygotes, { timeout: 60_000 }).toBe('1');
    await daemon.post('/v2/code/sessions/forked/restart');
    for (const more of [{ session_id: 'forked' }, { session_id: 'newer' }, {}]) {
      expect([more, await imported(daemon, 'lateone', more)]).toEqual([more, "'lateone'"]);
    }
  },
  PATIENCE_MS,
);

testKernels(
  '[code.installed] a cell imports what it has installed itself, by magic or by a program',
  async () => {
    await using daemon = await begin();
    const links = `--find-links ${wheels('bymagic')}`;
    wheels('byshell');
    const code = `import sys\n%pip ${PIP.slice(7)} ${links} bymagic\nimport bymagic\n!{sys.executable} ${PIP} ${links} byshell\nimport byshell\nbymagic.value + byshell.value`;
    expect(resultOf(await python(daemon, code, { session_id: 's' }))).toBe("'bymagicbyshell'");
  },
  PATIENCE_MS,
);

testKernels(
  '[code.installed-kinds] editable installs, namespace packages and another PYTHONUSERBASE are imported',
  async () => {
    await using daemon = await begin();
    await install(daemon, `--find-links ${wheels('spaceone', 'tinyspace/one.py')} spaceone`);
    expect(await imported(daemon, 'tinyspace.one', { session_id: 's' })).toBe("'spaceone'");
    await install(daemon, `--find-links ${wheels('spacetwo', 'tinyspace/two.py')} spacetwo`);
    expect(await imported(daemon, 'tinyspace.two', { session_id: 's' })).toBe("'spacetwo'");
    await install(daemon, `-e ${tinyProject(place.path, 'editableone')}`);
    expect(await imported(daemon, 'editableone', { session_id: 's' })).toBe("'editableone'");
    const other = join(place.path, 'other');
    await python(daemon, `import os\nos.environ["PYTHONUSERBASE"] = ${JSON.stringify(other)}`, { session_id: 's' });
    wheels('elsewhere');
    const { status } = await python(
      daemon,
      `import sys\n!{sys.executable} ${PIP} --find-links ${join(place.path, 'wheels')} elsewhere`,
      { session_id: 's' },
    );
    expect(status).toBe('ok');
    expect(await imported(daemon, 'elsewhere', { session_id: 's' })).toBe("'elsewhere'");
  },
  PATIENCE_MS,
);

testKernels(
  '[code.installed] a module is found although its directory was listed within the resolution of its time',
  async () => {
    await using daemon = await begin();
    const code = `import importlib, os, sys\nos.makedirs(${JSON.stringify(place.path)} + "/d", exist_ok=True)\nsys.path.append(${JSON.stringify(place.path)} + "/d")`;
    await python(daemon, code, { session_id: 's' });
    const stale = `import importlib, os
place = sys.path[-1]
before = os.stat(place)
try: import lateone
except ImportError: pass
open(place + "/lateone.py", "w").write("value = 1")
os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))`;
    await python(daemon, stale, { session_id: 's' });
    expect(await imported(daemon, 'lateone', { session_id: 's' })).toBe('1');
  },
  PATIENCE_MS,
);
