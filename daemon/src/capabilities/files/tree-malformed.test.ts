import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { AgeClock } from '../../core/clock/age-clock.ts';
import { BLOCK } from '../../core/files/tar/tar-header.ts';
import { setLinkTime, setTime } from './change/times.ts';
import { describe, expect, test } from './files.fixture.ts';
import { PartJournal } from './parts/part-journal.ts';
import { importTree } from './tar/import.ts';
import { archive, exported, imported } from './tree.fixture.ts';

type Entries = Parameters<typeof archive>;

/** Entries alone, without the end of an archive. */
function entries(...of: Entries): Buffer {
  return archive(...of).subarray(0, -2 * BLOCK);
}

function pax(type: 'x' | 'g', ...records: string[]): Buffer {
  return entries({ type, name: 'pax', body: records.join('') });
}

function record(text: string): string {
  const length = [2, 3, 4]
    .map((digits) => Buffer.byteLength(text) + digits + 1)
    .find((n, at) => `${n}`.length === at + 1);
  return `${length ?? Buffer.byteLength(text) + 3} ${text}\n`;
}

/** An archive of one file with a changed header and its correct checksum. */
function changed(change: (header: Buffer) => void): Buffer {
  const tar = archive({ name: 'f', body: 'x' });
  const header = tar.subarray(0, BLOCK);
  change(header);
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return tar;
}

function whole(...parts: Buffer[]): Buffer {
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

const file = entries({ name: 'f', body: 'x' });
const negative = Buffer.alloc(12, 0xff);

describe('a malformed archive is refused, and nothing is left behind', () => {
  test.for([
    ['a record of pax without a length', whole(pax('x', 'path=other\n'), file)],
    ['a record of pax that is longer than its header', whole(pax('x', '99 path=other\n'), file)],
    ['a record of pax that is shorter than it says', whole(pax('x', '9 path=other\n'), file)],
    ['a record of pax without a key', whole(pax('x', '4 =\n'), file)],
    ['a record of pax after a good one', whole(pax('x', record('path=other'), 'rest'), file)],
    ['a time that is no number', whole(pax('x', record('mtime=tomorrow')), file)],
    ['a time beyond all times', whole(pax('x', record('mtime=1e300')), file)],
    ['a size that is no number', whole(pax('x', record('size=many')), file)],
    ['a path for all entries', whole(pax('g', record('path=other')), file)],
    ['a malformed header for all entries', whole(pax('g', 'comment\n'), file)],
    ['a header with the size of a time', changed((header) => header.fill(0xff, 124, 136))],
    ['a header without an octal size', changed((header) => header.write('a lot', 124))],
    ['a header without an octal mode', changed((header) => header.write('rw-r--r', 100))],
    ['a header without an octal owner', changed((header) => header.write('nobody\0', 108))],
    ['a header with a negative size', changed((header) => negative.copy(header, 124))],
    ['a checksum of signed bytes', signed()],
    ['a long name of 5 MB', whole(entries({ type: 'L', name: 'l', body: 'n'.repeat(5_000_000) }), file)],
    ['a name of 5,000 bytes', whole(entries({ type: 'L', name: 'l', body: 'n'.repeat(5000) }), file)],
  ] as const)('[fs.tree-malformed] %s', async ([, body], { daemon, dir }) => {
    for (const tar of [body, gzipSync(body)]) {
      const answer = await imported(daemon, join(dir, 'to'), tar);
      expect([answer.statusCode, answer.json().success]).toEqual([400, false]);
      expect(readdirSync(dir)).toEqual([]);
    }
  });

  test.for([
    ['xz', 'fd377a585a00'],
    ['zstd', '28b52ffd'],
    ['zip', '504b0304'],
    ['bzip2', '425a6839314159265359'],
  ])(
    '[fs.tree-malformed] what is compressed by %s is named as that',
    async ([name = '', magic = ''], { daemon, dir }) => {
      const answer = await imported(
        daemon,
        join(dir, 'to'),
        Buffer.concat([Buffer.from(magic, 'hex'), Buffer.alloc(2000)]),
      );
      expect([answer.statusCode, answer.json().message]).toEqual([
        400,
        expect.stringContaining(`compressed by ${name}`),
      ]);
      expect(readdirSync(dir)).toEqual([]);
    },
  );

  test.runIf(process.getuid?.() === 0)(
    '[fs.tree-malformed] an owner that no account can have',
    async ({ daemon, dir }) => {
      for (const id of ['-1', '4294967295', '1.5', '99999999999']) {
        const tar = whole(pax('x', record(`uid=${id}`)), file);
        expect((await imported(daemon, join(dir, 'kept'), tar, { keep_owners: 'true' })).statusCode).toBe(400);
        expect((await imported(daemon, join(dir, id), tar)).statusCode).toBe(200);
      }
      expect(readdirSync(dir)).not.toContain('kept');
    },
  );

  test('[fs.tree-bytes] a bomb is too large by what comes out of it, or by what it says', async ({ dir }) => {
    using journal = new PartJournal(join(dir, 'notes'), AgeClock.ofProcess());
    const terms = { owner: undefined, keepOwners: false, journal, bytesMax: 10_000_000 };
    const many = gzipSync(
      archive(
        { name: 'small', body: 'x' },
        { name: 'big', body: '\0'.repeat(9_000_000) },
        { name: 'more', body: '\0'.repeat(9_000_000) },
      ),
    );
    expect(many.length).toBeLessThan(100_000);
    const lies = entries({ name: 'small', body: 'x' }, { name: 'huge', size: 20_000_000 });
    for (const bytes of [many, lies]) {
      const source = Readable.from([bytes]) as AsyncIterable<Buffer>;
      await expect(importTree(join(dir, 'to'), source, terms)).rejects.toMatchObject({ kind: 'too_large' });
      expect(readdirSync(dir)).toEqual(['notes']);
    }
  });
});

/** The checksum of historic archivers, which took bytes above 0x7f as negative. */
function signed(): Buffer {
  const tar = archive({ name: 'ä', body: 'x' });
  const header = tar.subarray(0, BLOCK);
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + (byte > 0x7f ? byte - 256 : byte), 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return tar;
}

describe('what is unusual and no fault', () => {
  test('a header for all entries counts until another one takes it back', async ({ daemon, dir }) => {
    const to = join(dir, 'to');
    const at = (name: string): number => statSync(join(to, name)).mtimeMs / 1000;
    const tar = whole(
      pax('g', record('mtime=1000'), record('comment=abc')),
      file,
      pax('x', record('mtime=2000'), record('path=g')),
      file,
      entries({ name: 'h', body: 'x' }),
      pax('g', record('mtime=')),
      entries({ name: 'i', body: 'x', mtime: 3000 }),
    );
    expect((await imported(daemon, to, tar)).json().data).toMatchObject({ entries: 4 });
    expect([at('f'), at('g'), at('h'), at('i')]).toEqual([1000, 2000, 1000, 3000]);
  });

  test('an archive of git, which begins with a header for all entries', async ({ daemon, dir }) => {
    const from = join(dir, 'from');
    mkdirSync(from);
    writeFileSync(join(from, 'f'), 'x');
    const git = (...args: string[]): Buffer =>
      execFileSync('git', ['-C', from, '-c', 'user.name=n', '-c', 'user.email=e', ...args], {
        stdio: 'pipe',
        // Nothing of who runs the tests: neither signed commits nor a hook.
        env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'm');
    const tar = git('archive', '--format=tar', 'HEAD');
    expect(tar[156]).toBe('g'.charCodeAt(0));
    expect((await imported(daemon, join(dir, 'to'), tar)).statusCode).toBe(200);
    expect(readFileSync(join(dir, 'to/f'), 'utf8')).toBe('x');
  });

  test('names in UTF-8 of headers older than ustar, which begin with ./', async ({ daemon, dir }) => {
    const tar = archive({ name: './ä/b', body: 'x' });
    const answer = await imported(daemon, join(dir, 'to'), tar);
    expect([answer.statusCode, readFileSync(join(dir, 'to/ä/b'), 'utf8')]).toEqual([200, 'x']);
  });

  test('[fs.tree-times] times before 1970 and of halves of seconds come back', async ({ daemon, dir }) => {
    const [from, times] = [join(dir, 'from'), new Map<string, number>()];
    mkdirSync(join(from, 'd'), { recursive: true });
    writeFileSync(join(from, 'old'), 'x');
    writeFileSync(join(from, 'near'), 'x');
    symlinkSync('old', join(from, 'link'));
    setTime(join(from, 'old'), -1_000_000_000);
    setTime(join(from, 'near'), -1);
    setLinkTime(join(from, 'link'), -86_400);
    setTime(join(from, 'd'), -2);
    for (const name of ['old', 'near', 'link', 'd']) times.set(name, lstatSync(join(from, name)).mtimeMs);
    expect([...times.values()]).toEqual([-1e12, -1000, -86_400_000, -2000]);
    const archives = [
      await exported(daemon, from),
      execFileSync('tar', ['--create', '--format=gnu', '-C', from, '.']),
      execFileSync('tar', ['--create', '--format=pax', '-C', from, '.']),
    ];
    for (const [index, tar] of archives.entries()) {
      const to = join(dir, `to-${index}`);
      expect((await imported(daemon, to, tar)).statusCode).toBe(200);
      for (const [name, time] of times) expect([name, lstatSync(join(to, name)).mtimeMs]).toEqual([name, time]);
    }
    const half = whole(pax('x', record('mtime=-1.5')), file);
    expect((await imported(daemon, join(dir, 'half'), half)).statusCode).toBe(200);
    expect(statSync(join(dir, 'half/f')).mtimeMs).toBe(-1500);
  });
});
