import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BLOCK } from '../../core/files/tar/tar-header.ts';
import { describe, expect, test } from './files.fixture.ts';
import { archive, imported, TREE } from './tree.fixture.ts';

/** An entry whose long name stands in an entry of its own before it, GNU's form. */
const longNamed = (name: string) => [
  { type: 'L', name: '././@LongLink', body: name },
  { type: '3', name: 'device' },
];

test('[work.linear] a name of 100,000 directories is refused at once', async ({ daemon, dir }) => {
  const before = process.cpuUsage();
  const answer = await imported(daemon, join(dir, 'tree'), archive(...longNamed(`${'a/'.repeat(100_000)}a`)));
  const { user, system } = process.cpuUsage(before);
  expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringContaining('over 4096 bytes')]);
  expect((user + system) / 1000).toBeLessThan(2000);
});

test('[limits.archive-names] names of more than 32 MiB together are 413', async ({ daemon, dir }) => {
  const names = Array.from({ length: 8400 }, () => longNamed('n'.repeat(4000))).flat();
  const answer = await imported(daemon, join(dir, 'tree'), archive(...names));
  expect(answer.statusCode).toBe(413);
});

describe('what is refused leaves nothing', () => {
  const good = { name: 'good', body: 'x' };
  test.for([
    ['a name with ..', [{ name: '../out', body: 'x' }]],
    ['a name with .. in its middle', [{ name: 'a/../../out', body: 'x' }]],
    ['an absolute name', [{ name: '/etc/out', body: 'x' }]],
    ['a link that leaves', [{ type: '2', name: 'l', link: '../..' }]],
    ['an absolute link', [{ type: '2', name: 'l', link: '/etc/passwd' }]],
    [
      'a link that leaves through another',
      [
        { type: '2', name: 'd', link: '.' },
        { type: '2', name: 'e', link: 'd/..' },
      ],
    ],
    [
      'a link that leaves through one that comes later',
      [
        { type: '2', name: 'e', link: 'd/../..' },
        { type: '2', name: 'd', link: 'x' },
      ],
    ],
    ['a hard link that leaves', [{ type: '1', name: 'l', link: '../../etc/passwd' }]],
    ['an absolute hard link', [{ type: '1', name: 'l', link: '/etc/passwd' }]],
    ['a hard link to nothing', [{ type: '1', name: 'l', link: 'nothing' }]],
    [
      'a hard link to a link',
      [
        { type: '2', name: 's', link: 'good' },
        { type: '1', name: 'l', link: 's' },
      ],
    ],
    [
      'a name through a link',
      [
        { type: '2', name: 'l', link: 'd' },
        { name: 'l/f', body: 'x' },
      ],
    ],
    ['a name through a file', [{ name: 'good/f', body: 'x' }]],
    [
      'a file in place of a directory',
      [
        { type: '5', name: 'd' },
        { name: 'd', body: 'x' },
      ],
    ],
    ['a sparse file of GNU', [{ type: 'S', name: 's', body: 'x' }]],
  ] as const)('[fs.tree-refused] %s', async ([, entries], { daemon, dir }) => {
    for (const to of [join(dir, 'new'), join(dir, 'there')]) {
      if (to.endsWith('there')) mkdirSync(to);
      const answer = await imported(daemon, to, archive(good, ...entries));
      expect([answer.statusCode, answer.json().data.error_type]).toEqual([400, 'bad_request']);
    }
    expect(readdirSync(dir)).toEqual(['there']);
    expect(readdirSync(join(dir, 'there'))).toEqual([]);
  });

  test('links that stay within are taken, also absolute ones into the target', async ({ daemon, dir }) => {
    const to = join(dir, 'to');
    const tar = archive(
      { type: '2', name: 'a/up', link: '../b' },
      { type: '2', name: 'self', link: '.' },
      { type: '2', name: 'loop', link: 'loop' },
      { type: '2', name: 'abs', link: `${to}/b` },
    );
    expect((await imported(daemon, to, tar)).statusCode).toBe(200);
    expect(readlinkSync(join(to, 'abs'))).toBe(`${to}/b`);
  });

  test('a later entry of one name counts', async ({ daemon, dir }) => {
    const to = join(dir, 'to');
    const tar = archive(
      { name: 'f', body: 'one' },
      { type: '2', name: 'f', link: 'x' },
      { name: 'f', body: 'two' },
      { type: '5', name: 'd', mode: 0o700 },
      { type: '5', name: 'd/', mode: 0o711 },
    );
    expect((await imported(daemon, to, tar)).statusCode).toBe(200);
    expect([readFileSync(join(to, 'f'), 'utf8'), statSync(join(to, 'd')).mode & 0o777]).toEqual(['two', 0o711]);
  });

  test('what follows the end is not read', async ({ daemon, dir }) => {
    const to = join(dir, 'to');
    const tar = Buffer.concat([
      archive({ name: 'f', body: 'x' }),
      archive({ name: 'g', body: 'x'.repeat(200_000) }),
      Buffer.from('rest'),
    ]);
    expect((await imported(daemon, to, tar)).json().data.entries).toBe(1);
    expect(readdirSync(to)).toEqual(['f']);
  });

  test('a truncated archive, other bytes, or a wrong checksum', async ({ daemon, dir }) => {
    const whole = archive({ name: 'f', body: 'x'.repeat(2000) });
    const wrong = Buffer.from(whole);
    wrong[0] = 0x7a;
    for (const body of [
      whole.subarray(0, 300),
      whole.subarray(0, 1500),
      whole.subarray(0, 2560),
      Buffer.from('no tar'.repeat(200)),
      wrong,
      Buffer.alloc(0),
    ]) {
      const answer = await imported(daemon, join(dir, 'to'), body);
      expect([answer.statusCode, answer.json().data.error_type]).toEqual([400, 'bad_request']);
    }
    expect(readdirSync(dir)).toEqual([]);
  });

  test('[fs.tree-entries] 100,001 entries are too many', async ({ daemon, dir }) => {
    const one = archive({ type: '6', name: 'f' }).subarray(0, BLOCK);
    const body = gzipSync(Buffer.concat([...Array.from({ length: 100_001 }, () => one), Buffer.alloc(2 * BLOCK)]), {
      level: 1,
    });
    const answer = await imported(daemon, join(dir, 'to'), body);
    expect([answer.statusCode, answer.json().data.error_type]).toEqual([413, 'too_large']);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('[fs.tree-bytes] [status.tar-too-large-413] an archive that says it is over 4 GiB is refused at once', async ({
    daemon,
    dir,
  }) => {
    const base = await daemon.listen();
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${base}${TREE}?path=${dir}/to`, {
        method: 'PUT',
        headers: { 'content-length': 4 * 1024 ** 3 + 1 },
      });
      sent.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
      sent.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test('[fs.tree-cut] a cut upload leaves nothing behind', async ({ daemon, dir }) => {
    const base = await daemon.listen();
    const tar = archive({ name: 'a', body: 'x'.repeat(100_000) }, { name: 'b', body: 'x'.repeat(900_000) });
    const sent = request(`${base}${TREE}?path=${dir}/to`, { method: 'PUT', headers: { 'content-length': tar.length } });
    sent.on('error', () => undefined);
    sent.write(tar.subarray(0, 300_000));
    await expect
      .poll(() => readdirSync(dir).map((name) => readdirSync(join(dir, name, 'content')).length))
      .toEqual([2]);
    sent.destroy();
    await expect.poll(() => readdirSync(dir)).toEqual([]);
  });
});
