import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { trackedFiles } from './tracked-files.ts';

const CONVERSION = 'api/src/wait.ts';

test('a signal of a timer takes a constant, or timeoutSignal bounds its number', async () => {
  const files = (await trackedFiles()).filter(
    (file) =>
      /^(?:api|daemon)\/src\/.*\.ts$/.test(file) && !/\.(?:test|fixture)\.ts$/.test(file) && file !== CONVERSION,
  );
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(ROOT, file), 'utf8')] as const));
  const computed = texts.flatMap(([file, text]) =>
    [...text.matchAll(/AbortSignal\.timeout\(([^)]*)\)/g)]
      .filter(([, ms = '']) => !/^[A-Z_]+$/.test(ms) && !/^[A-Z_]+ : [A-Z_]+$/.test(ms.split(' ? ')[1] ?? ''))
      .map(([call]) => `${file}: ${call}`),
  );
  expect(computed).toEqual([]);
});
