import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { Place } from './place.fixture.ts';

const LINES = /^(?:- \S[^\n]*==[^\n]+(?:\n|$))*$/;

async function packages(daemon: TestApp, lang: string): Promise<string> {
  return (await daemon.inject(`/v2/sandbox/packages?lang=${lang}`)).json().data;
}

test.each(['python', 'nodejs'])('[sandbox.packages] %s: one `- name==version` a line', async (lang) => {
  await using daemon = await TestApp.start();
  expect(await packages(daemon, lang)).toMatch(LINES);
});

test('[sandbox.packages] a package of PYTHONPATH and a global one of npm are listed with their versions', async () => {
  await using place = await Place.make();
  await mkdir(join(place.path, 'demo_pkg-1.2.3.dist-info'), { recursive: true });
  await writeFile(
    join(place.path, 'demo_pkg-1.2.3.dist-info', 'METADATA'),
    'Metadata-Version: 2.1\nName: demo-pkg\nVersion: 1.2.3\n',
  );
  for (const name of ['plain', '@scope/inner']) {
    await mkdir(join(place.path, 'modules', name), { recursive: true });
    await writeFile(join(place.path, 'modules', name, 'package.json'), '{"version":"4.5.6"}');
  }
  await mkdir(join(place.path, 'modules', 'broken'));
  await writeFile(join(place.path, 'modules', 'broken', 'package.json'), '{');
  await place.variable('PYTHONPATH', place.path);
  await place.variable('NODE_PATH', join(place.path, 'modules'));
  await using daemon = await TestApp.start({ envDir: place.env });
  expect(await packages(daemon, 'python')).toContain('- demo-pkg==1.2.3');
  const nodejs = await packages(daemon, 'nodejs');
  expect(nodejs).toContain('- @scope/inner==4.5.6');
  expect(nodejs).toContain('- plain==4.5.6');
  expect(nodejs).not.toContain('broken');
});

test.each([
  ['no interpreter', undefined, /^no python3 or python on PATH$/],
  ['an interpreter that prints something else', 'echo hello', /does not list its packages$/],
  ['an interpreter that fails', 'exit 3', /does not list its packages$/],
])('[sandbox.packages-missing] %s answers 503 with a hint', async (_what, script, message) => {
  await using place = await Place.make();
  if (script !== undefined) await place.program('python3', script);
  await place.onlyPath();
  await using daemon = await TestApp.start({ envDir: place.env });
  const answer = await daemon.inject('/v2/sandbox/packages?lang=python');
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toMatchObject({ message: expect.stringMatching(message), hint: expect.any(String) });
});
