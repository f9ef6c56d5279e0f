import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { optionsTable, replaceBetween, withOptionTables } from './options-table.ts';

test('the option tables of docs/configuration.md are up to date (npm run docs writes them)', async () => {
  const page = await readFile(join(ROOT, 'docs/configuration.md'), 'utf8');
  expect(withOptionTables(page)).toBe(page);
  expect(page).toMatch(/`GATEWAY_VNC` .*`\/run\/svc\/user\/vnc\.sock`/);
});

test('a row names the variable and its aliases, the flag, the default and the meaning', () => {
  const row = { env: 'A', aliases: ['B'], flag: '--a', fallback: join(homedir(), 'x'), description: 'this|that' };
  expect(optionsTable([row, { ...row, aliases: [], fallback: '' }])).toBe(
    [
      '| variable | flag | default | meaning |',
      '|---|---|---|---|',
      '| `A`, `B` | `--a` | `~/x` | this\\|that |',
      '| `A` | `--a` |  | this\\|that |',
    ].join('\n'),
  );
});

test('what stands between the marks is replaced, and missing marks are an error', () => {
  const text = 'a\n<!-- options:x -->\nold\n<!-- /options:x -->\nb\n';
  expect(replaceBetween(text, 'x', 'new')).toBe('a\n<!-- options:x -->\nnew\n<!-- /options:x -->\nb\n');
  expect(() => replaceBetween(text, 'y', 'new')).toThrow('<!-- options:y -->');
});
