import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { firstNames } from './first-names.ts';

test('of many names as many as wanted are read', async () => {
  await using directory = await tempDir();
  for (let n = 0; n < 200; n += 1) writeFileSync(join(directory.path, `f${n}`), '');
  expect(firstNames(directory.path, 50)).toHaveLength(50);
  expect(new Set(firstNames(directory.path, 1000)).size).toBe(200);
  expect(() => firstNames(join(directory.path, 'none'), 1)).toThrow('ENOENT');
});
