import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeKernels, PATIENCE_MS } from '../cells.fixture.ts';

let daemon: TestApp;
const warningsOf = async (body: object): Promise<string[]> => {
  const answer = await daemon.post('/v2/code/execute', { code: '', ...body });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
  return answer.json().data.warnings;
};

beforeAll(async () => {
  daemon = await TestApp.start();
});
afterAll(async () => daemon[Symbol.asyncDispose]());

test.each([
  ['javascript', 'node77', /^node77 is not installed: node\d+ \([\d.]+\) runs the cell$/],
  ['typescript', '77', /^node77 is not installed: node\d+ \([\d.]+\) runs the cell$/],
  ['typescript', 'python3.11', /^python3\.11 is not installed: node\d+ \([\d.]+\) runs the cell$/],
  ['javascript', 'newest', /^newest is not installed: node\d+ \([\d.]+\) runs the cell$/],
  ['bash', '2', /^bash 2 is not installed: bash \([\d.]+\) runs the cell$/],
])('[code.version] %s of version %s is served by the nearest, with a warning', async (language, version, warning) => {
  expect(await warningsOf({ language, version })).toEqual([expect.stringMatching(warning)]);
});

test('[code.version] the version that runs gives no warning', async () => {
  const { languages } = (await daemon.inject('/v2/code/info')).json().data;
  for (const language of ['javascript', 'typescript', 'bash']) {
    const { version } = languages.find((each: { language: string }) => each.language === language);
    const [major, minor] = version.split('.');
    for (const asked of [version, `${major}.${minor}`, major, undefined]) {
      expect([language, asked, await warningsOf({ language, version: asked })]).toEqual([language, asked, []]);
    }
  }
});

describeKernels('[code.version] versions of Python', () => {
  test.each([
    [{ version: '22' }, '22'],
    [{ version: 'node20' }, 'node20'],
    [{ version: '2.7' }, '2.7'],
    [{ language: 'python2' }, 'python2'],
    [{ kernel_name: 'python2.7' }, 'python2.7'],
    [{ version: '3.2' }, '3.2'],
  ])('%j gives a warning', { timeout: PATIENCE_MS }, async (asked, name) => {
    expect(await warningsOf({ language: 'python', ...asked })).toEqual([
      expect.stringContaining(`${name} is not installed: python3 (3.`),
    ]);
  });

  test('python3, python and the version that runs give none', { timeout: PATIENCE_MS }, async () => {
    const { languages } = (await daemon.inject('/v2/code/info')).json().data;
    const { version } = languages.find((each: { language: string }) => each.language === 'python');
    const minor = version.split('.').slice(0, 2).join('.');
    for (const asked of [
      { version },
      { version: minor },
      { version: `python${minor}` },
      { version: '3' },
      { language: 'python3' },
      { language: `python${minor}` },
    ]) {
      expect([asked, await warningsOf({ language: 'python', ...asked })]).toEqual([asked, []]);
    }
  });
});
