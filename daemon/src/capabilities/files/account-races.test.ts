import { execFileSync } from 'node:child_process';
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { Homes } from './account.fixture.ts';
import { archive, imported } from './tree.fixture.ts';

const CALLS = 60;
const MB = 1024 * 1024;

type Call = (daemon: TestApp, directory: string, count: number) => Promise<unknown>;

function post(route: string, body: (directory: string, count: number) => object): Call {
  return (daemon, directory, count) => daemon.post(`/v2/fs/${route}`, body(directory, count));
}

/** Each names something below a directory that gives way to a link to root's directory again and again. */
const BELOW: readonly (readonly [string, Call])[] = [
  ['write', post('write', (directory) => ({ path: join(directory, 'kept'), content: 'new' }))],
  ['write, new', post('write', (directory, count) => ({ path: join(directory, `new-${count}`), content: 'new' }))],
  ['write, atomic', post('write', (directory) => ({ path: join(directory, 'kept'), content: 'new', atomic: true }))],
  ['mkdir', post('mkdir', (directory, count) => ({ path: join(directory, `new-${count}`) }))],
  [
    'mkdir with parents',
    post('mkdir', (directory, count) => ({ path: join(directory, `a-${count}/b`), parents: true })),
  ],
  [
    'edit',
    post('edit', (directory) => ({ path: join(directory, 'kept'), command: 'insert', insert_line: 0, new_str: 'x' })),
  ],
  [
    'copy',
    post('copy', (directory) => ({ source: '/etc/hostname', destination: join(directory, 'kept'), overwrite: true })),
  ],
  ['delete', post('delete', (directory) => ({ path: join(directory, 'kept') }))],
  ['delete, recursive', post('delete', (directory) => ({ path: join(directory, 'tree'), recursive: true }))],
  [
    'upload',
    (daemon, directory, count) =>
      daemon.inject({
        method: 'PUT',
        url: '/v2/fs/upload',
        query: { path: join(directory, `u-${count}`) },
        payload: 'x',
      }),
  ],
  ['import', (daemon, directory) => imported(daemon, directory, archive({ name: 'kept', body: 'new' }))],
  [
    'import, new',
    (daemon, directory, count) => imported(daemon, join(directory, `t-${count}`), archive({ name: 'f', body: 'new' })),
  ],
];

describe.runIf(process.getuid?.() === 0)('names that an account exchanges during calls of a root daemon', () => {
  test.each(BELOW)(
    '[fs.account-race] %s below a directory that a link replaces changes nothing of root',
    async (_name, call) => {
      await using homes = new Homes();
      await using daemon = await TestApp.start({ defaultUser: 'nobody' });
      const directory = homes.directory('d');
      const before = homes.state();
      await homes.swap('directory');
      for (let count = 0; count < CALLS; count += 1) await call(daemon, directory, count);
      expect(homes.state()).toEqual(before);
    },
  );

  test('[fs.account-race] a move out of a directory that a link replaces takes nothing of root', async () => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    const directory = homes.directory('d');
    mkdirSync(join(homes.base, 'to'));
    const before = homes.state();
    await homes.swap('directory');
    for (let count = 0; count < 5 * CALLS; count += 1) {
      const destination = join(homes.base, `to/${count}`);
      await daemon.post('/v2/fs/move', { source: join(directory, 'kept'), destination, overwrite: true });
    }
    expect(homes.state()).toEqual(before);
  });

  test.each([false, true])(
    '[fs.account-race] a directory of root that takes the name of a made one is not given away, parents: %s',
    async (parents) => {
      await using homes = new Homes();
      await using daemon = await TestApp.start({ defaultUser: 'nobody' });
      const ofRoot = join(homes.home, 'of-root');
      mkdirSync(ofRoot);
      const descriptor = openSync(ofRoot, constants.O_RDONLY | constants.O_DIRECTORY);
      const { uid, gid, mode } = fstatSync(descriptor);
      await homes.swap('made');
      const path = join(homes.home, parents ? 'made/f' : 'made');
      for (let count = 0; count < 5 * CALLS; count += 1) {
        await daemon.post(parents ? '/v2/fs/write' : '/v2/fs/mkdir', { path, content: '' });
      }
      expect([uid, gid]).toEqual([0, 0]);
      expect(fstatSync(descriptor)).toMatchObject({ uid, gid, mode });
      closeSync(descriptor);
    },
  );

  test.each([
    ['an upload', { atomic: false }],
    ['an atomic write', { atomic: true }],
  ])(
    '[fs.account-race] %s onto a file that a link replaces takes neither owner nor mode of root',
    async (_name, { atomic }) => {
      await using homes = new Homes();
      await using daemon = await TestApp.start({ defaultUser: 'nobody' });
      const path = homes.file('f');
      const before = homes.state();
      await homes.swap('file');
      for (let count = 0; count < CALLS; count += 1) {
        if (atomic) await daemon.post('/v2/fs/write', { path, content: 'new', atomic });
        else await daemon.inject({ method: 'PUT', url: '/v2/fs/upload', query: { path }, payload: 'new' });
        const { uid, mode } = lstatSync(path);
        expect([uid, mode & 0o7000]).toEqual([homes.account.uid, 0]);
      }
      expect(homes.state()).toEqual(before);
    },
  );

  test('[fs.account-race] an archive goes where its directory was made, whatever takes that name', async () => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    const entries = Array.from({ length: 200 }, (_, index) => ({
      name: `d-${index}/f`,
      body: 'x'.repeat(1000),
      mode: 0o777,
    }));
    const before = homes.state();
    await homes.swap('part-by-link');
    for (let count = 0; count < 10; count += 1) {
      const answer = await imported(daemon, join(homes.home, `t-${count}`), archive(...entries));
      expect([200, 409]).toContain(answer.statusCode);
    }
    expect(homes.state()).toEqual(before);
  });

  test('[fs.account-race] a FIFO that takes the name of what a copy makes does not stop the daemon', async () => {
    await using homes = new Homes();
    const source = join(homes.outside, 'large');
    writeFileSync(source, Buffer.alloc(32 * MB, 1));
    execFileSync('mkfifo', [join(homes.home, 'fifo')]);
    homes.give(join(homes.home, 'fifo'));
    const runtime = join(homes.base, 'runtime');
    mkdirSync(runtime, { mode: 0o700 });
    await using daemon = await DaemonProcess.start(runtime);
    await homes.swap('part-by-fifo');
    const destination = join(homes.home, 'copy');
    const statuses: number[] = [];
    // Where the name is taken between mkdir and open, the call fails.
    while (statuses.at(-1) !== 200 && statuses.length < 20) {
      const { status } = await fetch(`${daemon.base}/v2/fs/copy?user=nobody`, {
        method: 'POST',
        body: JSON.stringify({ source, destination }),
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(30_000),
      });
      statuses.push(status);
    }
    expect(statuses.slice(0, -1).filter((status) => status !== 409)).toEqual([]);
    expect([statuses.at(-1), lstatSync(destination).size]).toEqual([200, 32 * MB]);
  });
});
