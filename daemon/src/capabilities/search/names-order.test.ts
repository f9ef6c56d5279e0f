import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathOf } from '../../core/files/byte-name.ts';
import { shownPath } from '../../core/files/file-path.ts';
import { RipgrepEngine } from './ripgrep/ripgrep-engine.ts';

test('of names that come in any order the first by name are kept', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'names-order-'));
  try {
    const program = join(directory, 'rg');
    writeFileSync(program, `#!/bin/sh\nprintf './c\\0./a.txt\\0./b\\0./a/z\\0'\n`);
    chmodSync(program, 0o755);
    const place = { cwd: directory, target: './', isFile: false };
    const request = { path: pathOf(directory), pattern: '*', dialect: 'ripgrep', exclude: [], hidden: true } as const;
    const engine = new RipgrepEngine(program);
    const { names, stop } = await engine.names({ ...request, maxResults: 3 }, place, new AbortController().signal);
    expect(names.map(({ path }) => shownPath(path).slice(directory.length + 1))).toEqual(['a/z', 'a.txt', 'b']);
    expect(stop).toBe('results');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
