import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function install(root: string, name: string, type: 'commonjs' | 'module'): Promise<void> {
  const at = join(root, 'node_modules', name);
  await mkdir(at, { recursive: true });
  await writeFile(join(at, 'package.json'), JSON.stringify({ name, version: '1.2.3', type, main: 'index.js' }));
  const text = type === 'module' ? `export default '${name}';` : `module.exports = '${name}';`;
  await writeFile(join(at, 'index.js'), text);
}

test('[js.installed] packages in the home and of npm -g, with and without a session', async () => {
  await using home = await tempDir();
  vi.stubEnv('HOME', home.path);
  await using daemon = await TestApp.start();
  const cell = async (url: string, code: string, more: object) =>
    (await daemon.post(url, { code, ...more }))
      .json()
      .data.outputs.map(
        (each: { data?: object; text?: string; ename?: string; evalue?: string }) =>
          each.text ?? each.evalue ?? each.data,
      );
  const places: [string, object][] = [
    ['/v1/nodejs/execute', { session_id: 'before' }],
    ['/v1/nodejs/execute', {}],
    ['/v2/code/execute', { language: 'javascript' }],
    ['/v2/code/execute', { language: 'typescript' }],
  ];
  await cell('/v1/nodejs/execute', '1', { session_id: 'before' });
  const prefix = join(home.path, '.npm-global');
  await writeFile(join(home.path, '.npmrc'), `prefix=${prefix}\n`);
  await install(home.path, 'in-home', 'commonjs');
  await install(home.path, 'esm-home', 'module');
  await install(join(prefix, 'lib'), 'for-all', 'commonjs');
  await install(join(prefix, 'lib'), 'esm-for-all', 'module');
  for (const [url, more] of places) {
    const required = await cell(url, 'console.log(require("in-home"), require("for-all"))', more);
    expect([url, more, required]).toEqual([url, more, ['in-home for-all\n']]);
    const code =
      'import a from "esm-home"; import b from "esm-for-all"; console.log(a, b, (await import("for-all")).default)';
    expect(await cell(url, code, more)).toEqual(['esm-home esm-for-all for-all\n']);
    expect((await cell(url, 'await import("not-there")', more))[0]).toContain("Cannot find package 'not-there'");
  }
  const info = (await daemon.inject('/v1/nodejs/info')).body;
  expect(info).toContain('for-all');
}, 60_000);
