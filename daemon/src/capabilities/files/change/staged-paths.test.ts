import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { describe, expect, test } from '../files.fixture.ts';
import { archive } from '../tree.fixture.ts';
import { StagedPaths } from './staged-paths.ts';

/** Sends the head of a request and a piece of its body, and then nothing more. */
function beginToPut(url: string, piece: Buffer, headers: Record<string, string | number>): void {
  const sent = request(url, { method: 'PUT', headers });
  sent.on('error', () => undefined);
  sent.write(piece);
}

function parts(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.part'));
}

test('[fs.killed] what a daemon was receiving when it was killed is gone once it is back; parts of pieces stay', async ({
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

describe('notes of what is staged', () => {
  test('there are none while nothing is staged, and few however much was', ({ dir }) => {
    const notes = join(dir, 'notes');
    using staged = new StagedPaths(notes);
    const first = staged.begin(dir);
    for (let index = 0; index < 10_000; index += 1) staged.end(staged.begin(dir));
    expect(statSync(notes).size).toBeLessThan(512 * 1024);
    staged.end(first);
    expect(statSync(notes).size).toBe(0);
  });

  test('a directory that was moved aside gets its name back, or goes where another has it', async ({ dir }) => {
    const [notes, lost, replaced] = [join(dir, 'notes'), join(dir, 'lost'), join(dir, 'replaced')];
    {
      using staged = new StagedPaths(notes);
      for (const target of [lost, replaced]) {
        const aside = staged.beginAside(target).toString();
        mkdirSync(aside);
        writeFileSync(join(aside, 'old'), target);
      }
    }
    mkdirSync(replaced);
    using _again = new StagedPaths(notes);
    await expect.poll(() => readdirSync(dir).sort()).toEqual(['lost', 'notes', 'replaced']);
    expect([readdirSync(lost), readdirSync(replaced)]).toEqual([['old'], []]);
    await expect.poll(() => statSync(notes).size).toBe(0);
  });

  test('only what has the name of a part is removed, and no link is followed to it', async ({ dir }) => {
    const notes = join(dir, 'notes');
    mkdirSync(join(dir, 'outside'));
    writeFileSync(join(dir, 'outside/kept'), '');
    let part = '';
    {
      using staged = new StagedPaths(notes);
      part = staged.begin(dir).toString();
    }
    symlinkSync('outside', part);
    const foreign = Buffer.from(join(dir, 'outside')).toString('base64');
    writeFileSync(notes, `${foreign}\n\n*\n${readFileSync(notes, 'utf8')}${foreign.slice(0, 7)}`);
    using _again = new StagedPaths(notes);
    await expect.poll(() => readdirSync(dir).sort()).toEqual(['notes', 'outside']);
    expect(readdirSync(join(dir, 'outside'))).toEqual(['kept']);
  });
});
