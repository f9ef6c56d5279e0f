import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type TempDir, tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { McpCaller } from '../../mcp/mcp.fixture.ts';
import { errorOf, PATIENCE_MS, python, resultOf, testKernels } from './cells.fixture.ts';
import { tinyWheel } from './tiny-packages.fixture.ts';

let home: TempDir;
const before = { HOME: process.env['HOME'], VIRTUAL_ENV: process.env['VIRTUAL_ENV'], PATH: process.env['PATH'] };

beforeAll(async () => {
  home = await tempDir();
  process.env['HOME'] = home.path;
  delete process.env['VIRTUAL_ENV'];
  // The Python of the system, whatever else the machine has.
  process.env['PATH'] = `/usr/bin:${before.PATH}`;
});
afterAll(async () => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await home[Symbol.asyncDispose]();
});

const HINT = /~\/\.venv\/bin\/pip install ipykernel .*--break-system-packages/;

/** A program that refuses as pip does, also where the system's pip does not. */
async function refusingPip(): Promise<string> {
  const file = join(home.path, 'pip.py');
  const refusal =
    'error: externally-managed-environment\\n\\n× This environment is externally managed\\n╰─> Use apt\\n';
  await writeFile(file, `import sys\nsys.stderr.write("${refusal}")\nsys.exit(1)\n`);
  return `python3 ${file}`;
}

testKernels(
  '[code.refused-install] each route that runs pip shows its refusal with a hint',
  async () => {
    const command = await refusingPip();
    await using mcp = await McpCaller.start();
    const daemon = mcp.daemon;
    const posted = async (url: string, body: object) => (await daemon.post(url, body)).json();
    const ran = await posted('/v2/commands', { command });
    expect([ran.data.stderr, ran.hint]).toEqual([expect.stringContaining('externally'), expect.stringMatching(HINT)]);
    expect((await posted('/v2/commands', { command: `${command} 2>&1` })).hint).toMatch(HINT);
    expect((await posted('/v2/commands', { command: 'echo fine' })).hint).toBeNull();
    expect((await daemon.inject(`/v2/commands/${ran.data.command_id}`)).json().hint).toMatch(HINT);
    expect((await posted('/v1/bash/exec', { command, session_id: 's' })).hint).toMatch(HINT);
    expect((await posted('/v1/bash/output', { session_id: 's' })).hint).toMatch(HINT);
    expect((await posted('/v1/shell/exec', { command })).hint).toMatch(HINT);
    const terminal = (await posted('/v2/pty/sessions', {})).data.session_id;
    expect((await posted(`/v2/pty/sessions/${terminal}/exec`, { command })).hint).toMatch(HINT);
    const cell = { code: `!${command}`, language: 'python' };
    for (const url of ['/v2/code/execute', '/v1/code/execute', '/v1/jupyter/execute']) {
      expect([url, (await posted(url, cell)).data.warnings]).toEqual([url, [expect.stringMatching(HINT)]]);
    }
    const text = await mcp.call('sandbox_execute_code', cell);
    expect(text.content[0].text).toMatch(HINT);
    expect((await mcp.data('sandbox_execute_bash', { cmd: command })).hint).toMatch(HINT);
  },
  PATIENCE_MS,
);

/** Fails as Python does without the module, also where the machine has it. */
const WITHOUT_PANDAS = `raise ModuleNotFoundError("No module named 'pandas'", name="pandas")`;
const DATA_HINT = /pip install pandas, .*sandbox-data/;

testKernels(
  '[code.missing-package] each route that runs Python names the image that has a missing package',
  async () => {
    const command = `python3 -c '${WITHOUT_PANDAS.replaceAll("'", String.raw`'"'"'`)}'`;
    await using mcp = await McpCaller.start();
    const posted = async (url: string, body: object) => (await mcp.daemon.post(url, body)).json();
    for (const url of ['/v2/commands', '/v1/bash/exec', '/v1/shell/exec']) {
      expect([url, (await posted(url, { command })).hint]).toEqual([url, expect.stringMatching(DATA_HINT)]);
    }
    const terminal = (await posted('/v2/pty/sessions', {})).data.session_id;
    expect((await posted(`/v2/pty/sessions/${terminal}/exec`, { command })).hint).toMatch(DATA_HINT);
    const cell = { code: WITHOUT_PANDAS, language: 'python' };
    for (const url of ['/v2/code/execute', '/v1/code/execute', '/v1/jupyter/execute']) {
      expect([url, (await posted(url, cell)).data.warnings]).toEqual([url, [expect.stringMatching(DATA_HINT)]]);
    }
    expect((await mcp.call('sandbox_execute_code', cell)).content[0].text).toMatch(DATA_HINT);
    expect((await mcp.data('sandbox_execute_bash', { cmd: command })).hint).toMatch(DATA_HINT);
    expect((await posted('/v2/code/execute', { code: '1', language: 'python' })).data.warnings).toEqual([]);
  },
  PATIENCE_MS,
);

testKernels(
  '[code.own-venv] a virtual environment in ~/.venv with ipykernel runs the next cells, in which pip is its own',
  async () => {
    await using daemon = await TestApp.start({ defaultUser: undefined });
    const prefix = async (more: object = {}) => resultOf(await python(daemon, 'import sys\nsys.prefix', more));
    const wheels = tinyWheel(join(home.path, 'wheels'), 'ownvenv');
    expect(await prefix({ session_id: 'early' })).toBe("'/usr'");
    // The ipykernel of the system, since tests ask no index.
    const made = await daemon.run(
      `python3 -m venv --system-site-packages ~/.venv && ~/.venv/bin/pip install -q --no-index --find-links ${wheels} ownvenv`,
    );
    expect([made.exit_code, made.stderr]).toEqual([0, '']);
    const venv = `'${join(home.path, '.venv')}'`;
    expect(await prefix()).toBe(venv);
    expect(await prefix({ session_id: 'new' })).toBe(venv);
    expect(await prefix({ session_id: 'early' })).toBe("'/usr'");
    await daemon.post('/v2/code/sessions/early/restart');
    expect(await prefix({ session_id: 'early' })).toBe(venv);
    const cell = await python(daemon, `import ownvenv\n!pip --version\nownvenv.value`);
    expect([errorOf(cell), resultOf(cell), cell.stdout]).toEqual([
      undefined,
      "'ownvenv'",
      expect.stringContaining(`${home.path}/.venv/lib`),
    ]);
    const info = (await daemon.inject('/v1/jupyter/info')).json().data;
    expect(info.available_kernels[0]).toBe('python3');
    process.env['VIRTUAL_ENV'] = '/usr';
    await using chosen = await TestApp.start({ defaultUser: undefined });
    const elsewhere = resultOf(await python(chosen, 'import sys\nsys.prefix'));
    delete process.env['VIRTUAL_ENV'];
    expect(elsewhere).toBe("'/usr'");
  },
  PATIENCE_MS,
);
