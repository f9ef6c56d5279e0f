import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { AgeClock } from '../../core/clock/age-clock.ts';
import { HeldDirectory } from '../../core/files/place/held-directory.ts';
import { Place } from '../../core/files/place/place.ts';
import { expect, test } from './files.fixture.ts';
import { PartFile } from './parts/part-file.ts';
import { PartJournal } from './parts/part-journal.ts';
import { writeInPlace } from './write/write.ts';

const TERMS = { append: false, owner: undefined };

function placeOf(path: string): Place {
  return Place.find(path, 'write', { follow: true });
}

test('[fs.swapped] a link that takes the place of the target of a write is not followed', async ({ dir }) => {
  writeFileSync(join(dir, 'outside'), 'outside');
  writeFileSync(join(dir, 'f'), 'old');
  using f = placeOf(join(dir, 'f'));
  unlinkSync(join(dir, 'f'));
  symlinkSync('outside', join(dir, 'f'));
  await expect(writeInPlace(f, Buffer.from('x'), TERMS)).rejects.toThrow('ELOOP');
  using g = placeOf(join(dir, 'g'));
  symlinkSync('nowhere', join(dir, 'g'));
  await expect(writeInPlace(g, Buffer.from('x'), TERMS)).rejects.toThrow('EAGAIN');
  expect([readFileSync(join(dir, 'outside'), 'utf8'), readdirSync(dir).sort()]).toEqual([
    'outside',
    ['f', 'g', 'outside'],
  ]);
});

test('[fs.swapped] a link that takes the place of an upload while it comes in is replaced, what it leads to is not', async ({
  dir,
}) => {
  writeFileSync(join(dir, 'outside'), 'outside');
  writeFileSync(join(dir, 'f'), 'old');
  using journal = new PartJournal(join(dir, 'notes'), AgeClock.ofProcess());
  using place = placeOf(join(dir, 'f'));
  await using part = PartFile.create(place, undefined, journal);
  await part.write([Buffer.from('new')]);
  unlinkSync(join(dir, 'f'));
  symlinkSync('outside', join(dir, 'f'));
  await part.commit(place, { owner: undefined, sync: false });
  expect([lstatSync(join(dir, 'f')).isFile(), readFileSync(join(dir, 'f'), 'utf8')]).toEqual([true, 'new']);
  expect(readFileSync(join(dir, 'outside'), 'utf8')).toBe('outside');
});

test('a part of another user is not written to', async ({ dir }) => {
  writeFileSync(join(dir, 'outside'), 'outside');
  symlinkSync('outside', join(dir, 'part'));
  using place = placeOf(join(dir, 'f'));
  await using part = PartFile.resume(place, 'part', undefined, undefined);
  await part.write([Buffer.from('new')]);
  expect([readFileSync(join(dir, 'outside'), 'utf8'), readFileSync(join(dir, 'part'), 'utf8')]).toEqual([
    'outside',
    'new',
  ]);
});

test('[fs.swapped] what is done in a directory that is held stays in it, whatever takes its name', ({ dir }) => {
  mkdirSync(join(dir, 'd'));
  mkdirSync(join(dir, 'other'));
  using held = HeldDirectory.open(join(dir, 'd'));
  renameSync(join(dir, 'd'), join(dir, 'moved'));
  symlinkSync('other', join(dir, 'd'));
  writeFileSync(held.at('f'), 'x');
  expect([readdirSync(join(dir, 'moved')), readdirSync(join(dir, 'other'))]).toEqual([['f'], []]);
  expect(() => HeldDirectory.open(join(dir, 'd'))).toThrow(/ELOOP|ENOTDIR/);
});
