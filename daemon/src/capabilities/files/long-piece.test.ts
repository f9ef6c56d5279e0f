import { join } from 'node:path';
import { AgeClock } from '../../core/clock/age-clock.ts';
import { pathOf } from '../../core/files/byte-name.ts';
import { expect, test } from './files.fixture.ts';
import { PartJournal } from './parts/part-journal.ts';
import { PathLocks } from './path-locks.ts';
import { ResumableUploads } from './upload/resumable.ts';

test('of a piece that turns out too long nothing stays, nor of what came before its end', async ({ dir }) => {
  using parts = new PartJournal(join(dir, 'journal'), AgeClock.ofProcess());
  const uploads = new ResumableUploads(new PathLocks(), parts);
  const path = pathOf(join(dir, 'f'));
  const append = (texts: readonly string[], start: number, end: number) =>
    uploads.append(path, bytes(texts), { start, end, total: 9 }, false, { owner: undefined });
  expect(await append(['ab'], 0, 2)).toEqual({ isComplete: false, size: 2 });
  // So much that it is written before the rest comes.
  const long = 'x'.repeat(600_000);
  await expect(append([long, 'cd'], 2, 600_003)).rejects.toThrow('600001 bytes');
  expect(uploads.sizeOf(path)).toBe(2);
});

async function* bytes(texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
