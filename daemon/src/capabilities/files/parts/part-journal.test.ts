import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { AgeClock } from '../../../core/clock/age-clock.ts';
import { readLines } from '../../../core/records/line-journal.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { describe, expect, test } from '../files.fixture.ts';
import { archive } from '../tree.fixture.ts';
import { PartJournal } from './part-journal.ts';

/** Sends the head of a request and a piece of its body only. */
function beginToPut(url: string, piece: Buffer, headers: Record<string, string | number>): void {
  const sent = request(url, { method: 'PUT', headers });
  sent.on('error', () => undefined);
  sent.write(piece);
}

function parts(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.part'));
}

test('[fs.killed] a restarted daemon removes the unfinished files of a killed one, and keeps parts of pieces', async ({
  dir,
}) => {
  const [files, runtime] = [join(dir, 'files'), join(dir, 'runtime')];
  mkdirSync(files);
  writeFileSync(join(files, 'f'), 'old');
  const tar = archive({ name: 'a', body: 'x'.repeat(100_000) }, { name: 'b', body: 'x'.repeat(900_000) });
  {
    await using daemon = await DaemonProcess.start(runtime);
    const upload = (name: string): string => `${daemon.base}/v2/fs/upload?path=${files}/${name}`;
    beginToPut(upload('f'), Buffer.alloc(600_000, 1), { 'content-length': 1_000_000 });
    beginToPut(upload('g'), Buffer.alloc(600_000, 1), {
      'content-length': 1_000_000,
      'content-range': 'bytes 0-999999/2000000',
    });
    beginToPut(`${daemon.base}/v2/fs/tree?path=${files}/t`, tar.subarray(0, 300_000), { 'content-length': tar.length });
    const isThere = (): boolean[] => parts(files).map((name) => statSync(join(files, name)).size > 0);
    await expect.poll(isThere).toEqual([true, true, true]);
    expect((await daemon.stop('SIGKILL'))[1]).toBe('SIGKILL');
  }
  expect(parts(files)).toHaveLength(3);
  await using again = await DaemonProcess.start(runtime);
  await expect.poll(() => parts(files)).toHaveLength(1);
  expect(readdirSync(files)).toContain('f');
  expect(readFileSync(join(files, 'f'), 'utf8')).toBe('old');
  const asked = await fetch(`${again.base}/v2/fs/upload?path=${files}/g`, {
    method: 'PUT',
    headers: { 'content-range': 'bytes */2000000' },
  });
  const kept = statSync(join(files, parts(files)[0] ?? '')).size;
  expect(kept).toBeGreaterThan(0);
  expect(await asked.json()).toMatchObject({ data: { file_size: kept, complete: false } });
});

describe('the journal of parts', () => {
  test('it is empty without parts, and bounded after many parts', ({ dir }) => {
    const notes = join(dir, 'notes');
    using journal = new PartJournal(notes, AgeClock.ofProcess());
    const first = journal.begin(dir);
    for (let index = 0; index < 10_000; index += 1) journal.end(journal.begin(dir));
    expect(statSync(notes).size).toBeLessThan(512 * 1024);
    journal.end(first);
    expect(readLines(notes)).toEqual([]);
  });

  test('a directory that was moved aside gets its name back, or is removed where the name is taken', async ({
    dir,
  }) => {
    const [notes, lost, replaced] = [join(dir, 'notes'), join(dir, 'lost'), join(dir, 'replaced')];
    {
      using journal = new PartJournal(notes, AgeClock.ofProcess());
      for (const target of [lost, replaced]) {
        const aside = journal.beginAside(target).toString();
        mkdirSync(aside);
        writeFileSync(join(aside, 'old'), target);
      }
    }
    mkdirSync(replaced);
    using _again = new PartJournal(notes, AgeClock.ofProcess());
    await expect.poll(() => readdirSync(dir).sort()).toEqual(['lost', 'notes', 'replaced']);
    expect([readdirSync(lost), readdirSync(replaced)]).toEqual([['old'], []]);
    await expect.poll(() => readLines(notes)).toEqual([]);
  });

  test('only entries with the name of a part are removed, and no link is followed to them', async ({ dir }) => {
    const notes = join(dir, 'notes');
    mkdirSync(join(dir, 'outside'));
    writeFileSync(join(dir, 'outside/kept'), '');
    let part = '';
    {
      using journal = new PartJournal(notes, AgeClock.ofProcess());
      part = journal.begin(dir).toString();
    }
    symlinkSync('outside', part);
    const foreign = Buffer.from(join(dir, 'outside')).toString('base64');
    writeFileSync(notes, `${foreign}\n\n*\n${readFileSync(notes, 'utf8')}${foreign.slice(0, 7)}`);
    using _again = new PartJournal(notes, AgeClock.ofProcess());
    await expect.poll(() => readdirSync(dir).sort()).toEqual(['notes', 'outside']);
    expect(readdirSync(join(dir, 'outside'))).toEqual(['kept']);
  });
});
