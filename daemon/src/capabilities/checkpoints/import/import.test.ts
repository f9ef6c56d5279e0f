import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { hasKeeper } from '../../../hosts.fixture.ts';
import { describeTree } from '../engine/tree.fixture.ts';
import { entry, imported, NOTHING_CHANGED, pax } from './import.fixture.ts';

const isRoot = process.getuid?.() === 0;

/** A tree with everything that an archive can hold. */
async function makeTree(app: TestApp, root: string): Promise<void> {
  const long = 'l'.repeat(200);
  const { output, exit_code } =
    await app.run(`mkdir -p ${root}/empty ${root}/${long}/${long} ${root}/a/b ${root}/a-b && touch ${root}/a/b/c ${root}/a-b/c && cd ${root} &&
    seq 2000000 > large && printf x > $'not\\xffutf8' && mkdir $'d\\xfe' && printf y > $'d\\xfe/${long}\\xff' &&
    ln large hard && ln -s $'to\\xff' link && ln link link-again && ln -s ${long}/${long} longlink && ln -s loop loop &&
    mkfifo pipe && : > nothing && printf '%s\\n' 'a b' > 'with space' &&
    truncate -s 3M holes && printf mid | dd of=holes bs=1 seek=1048576 conv=notrunc status=none && truncate -s 8k all-hole &&
    truncate -s 1M two-ends && printf a | dd of=two-ends bs=1 conv=notrunc status=none &&
    printf b | dd of=two-ends bs=1 seek=1048575 conv=notrunc status=none &&
    printf s > ${long}/${long}/deep && chmod 4711 nothing && chmod 700 empty && chmod 2775 a-b &&
    touch -d '1960-02-03 04:05:06.789' old && touch -d '2030-01-01 00:00:00.000000001' empty &&
    python3 -c "import os
try: os.setxattr('nothing', 'user.a=b%', b'v\\x00\\n'); os.setxattr('empty', 'user.z', b''); os.setxattr('empty', 'user.b', b'y')
except OSError: pass"`);
  expect(exit_code, output).toBe(0);
  if (isRoot) await app.run(`cd ${root} && chown 4000000:7 old && mknod null c 1 3 && mknod big b 300 70000`);
}

async function exported(app: TestApp, root: string): Promise<{ id: string; archive: Buffer }> {
  const { id } = (await app.post('/v2/checkpoints', { path: root })).json().data;
  const { statusCode, rawPayload } = await app.inject(`/v2/checkpoints/${id}/export`);
  expect(statusCode).toBe(200);
  return { id, archive: rawPayload };
}

describe.runIf(hasKeeper)('checkpoints', () => {
  test('[checkpoint.import] an export is imported with an empty diff, and restored as it was', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'tree');
    await using app = await TestApp.start();
    await makeTree(app, root);
    const before = describeTree(root);
    const { id, archive } = await exported(app, root);
    for (const payload of [archive, gzipSync(archive)]) {
      const { statusCode, data } = await imported(app, payload, { path: root, label: 'of another machine' });
      expect([statusCode, data]).toMatchObject([
        200,
        { origin: 'import', label: 'of another machine', path: root, left_out_count: 0 },
      ]);
      const original = (await app.inject(`/v2/checkpoints/${id}`)).json().data;
      expect([data.files, data.bytes]).toEqual([original.files, original.bytes]);
      for (const query of ['', `?to=${id}`]) {
        const diff = (await app.inject(`/v2/checkpoints/${data.id}/diff${query}`)).json().data;
        expect(diff).toMatchObject(NOTHING_CHANGED);
      }
      for (const name of readdirSync(root, { encoding: 'buffer' }))
        rmSync(Buffer.concat([Buffer.from(`${root}/`), name]), { recursive: true });
      writeFileSync(join(root, 'added'), 'x');
      const restored = (await app.post(`/v2/checkpoints/${data.id}/restore`, { delete_new: true })).json().data;
      expect(restored.not_restored).toEqual([]);
      expect(describeTree(root)).toEqual(before);
      expect((await app.run(`du -k ${root}/holes | cut -f1`)).output.trim()).toMatch(/^(?:4|8|12)$/);
      const now = (await app.inject(`/v2/checkpoints/${id}/diff`)).json().data;
      expect(now).toMatchObject(NOTHING_CHANGED);
    }
  }, 60_000);

  test('[checkpoint.import] archives of GNU tar become checkpoints, sparse files of pax too', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'tree');
    await using app = await TestApp.start();
    await makeTree(app, root);
    await app.run(`cd ${root} && rm -f null big`);
    const before = describeTree(root);
    const { id } = await exported(app, root);
    const formats = [
      ['--format=posix', '--sparse', '--pax-option=delete=atime,delete=ctime', '--xattrs', '--xattrs-include=*'],
      ['--format=posix', '-z', '--xattrs', '--xattrs-include=*'],
    ];
    for (const options of formats) {
      const archive = execFileSync('tar', [...options, '-cf', '-', '-C', root, '.'], { maxBuffer: 64 * 1024 ** 2 });
      const { statusCode, data } = await imported(app, archive, { path: root });
      expect([statusCode, data]).toMatchObject([200, { left_out_count: 0 }]);
      rmSync(join(root, 'large'));
      const restored = await app.post(`/v2/checkpoints/${data.id}/restore`, { delete_new: true });
      expect(restored.json().data.not_restored).toEqual([]);
      expect(describeTree(root)).toEqual(before);
      if (!options.includes('--sparse')) continue;
      const diff = (await app.inject(`/v2/checkpoints/${id}/diff`)).json().data;
      expect(diff).toMatchObject(NOTHING_CHANGED);
    }
  }, 60_000);

  test.runIf(isRoot)('[checkpoint.import] files that could not be read are known, and not removed', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'tree');
    await using app = await TestApp.start();
    await app.run(
      `chmod 755 ${directory.path}; mkdir -m 777 ${root}; cd ${root}; echo s > secret; chmod 600 secret; echo o > other`,
    );
    const { id } = (await app.post('/v2/checkpoints?user=games', { path: root })).json().data;
    const archive = (await app.inject(`/v2/checkpoints/${id}/export`)).rawPayload;
    const { data } = await imported(app, archive, { path: root });
    expect(data.left_out).toEqual([{ path: 'secret', reason: 'no content' }]);
    rmSync(join(root, 'other'));
    const restored = (await app.post(`/v2/checkpoints/${data.id}/restore`, { delete_new: true })).json().data;
    expect(restored.not_restored).toEqual([{ path: 'secret', reason: 'no content' }]);
    expect([readFileSync(join(root, 'secret'), 'utf8'), readFileSync(join(root, 'other'), 'utf8')]).toEqual([
      's\n',
      'o\n',
    ]);
  });

  test('[checkpoint.import] [checkpoint.secret] an archive does not reach what belongs to the service', async () => {
    await using directory = await tempDir();
    const runtime = join(directory.path, 'runtime');
    mkdirSync(runtime, { mode: 0o700 });
    await using app = await TestApp.start({}, runtime);
    const own = ['runtime/checkpoints/index', 'runtime/new'].map((name) => entry({ name, body: 'forged' }));
    const at = ['runtime/', 'runtime/checkpoints/'].map((name) => entry({ name, type: '5', mode: 0o777 }));
    const archive = Buffer.concat([...at, ...own, entry({ name: 'plain', body: 'plain' })]);
    const { data } = await imported(app, archive, { path: directory.path });
    const index = statSync(join(runtime, 'checkpoints/index')).size;
    const restored = (await app.post(`/v2/checkpoints/${data.id}/restore`, {})).json().data;
    const reasons = restored.not_restored.map(({ path, reason }: { path: string; reason: string }) => [path, reason]);
    expect(Object.fromEntries(reasons)).toMatchObject({ runtime: 'EACCES', 'runtime/checkpoints/index': 'EACCES' });
    expect(readFileSync(join(directory.path, 'plain'), 'utf8')).toBe('plain');
    expect(existsSync(join(runtime, 'new'))).toBe(false);
    expect(statSync(join(runtime, 'checkpoints/index')).size).toBeGreaterThanOrEqual(index);
    const modes = ['', 'checkpoints'].map((name) => statSync(join(runtime, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700]);
  });

  test('[checkpoint.import] a key for files alone brings no device, no capability and no set-ID bit', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'mine');
    mkdirSync(root);
    const accessKeysFile = join(directory.path, 'keys');
    const keys = [
      { name: 'all', key: 'key-of-all', scopes: ['all'] },
      { name: 'mine', key: 'key-of-mine', scopes: [`files:${root}`] },
      { name: 'reads', key: 'key-that-reads', scopes: [`files-read:${root}`] },
    ];
    writeFileSync(accessKeysFile, keys.map((key) => `${JSON.stringify(key)}\n`).join(''));
    await using app = await TestApp.start({ accessKeysFile });
    const archive = Buffer.concat([
      entry({ name: 'null', type: '3', device: { major: 1, minor: 3 } }),
      pax('SCHILY.xattr.security.capability', 'x'.repeat(20), 'SCHILY.xattr.user.kept', 'y'),
      entry({ name: 'program', mode: 0o755, body: '#!' }),
      entry({ name: 'suid', mode: 0o4755, body: '#!' }),
    ]);
    const mine = { 'x-api-key': 'key-of-mine' };
    const { statusCode, data } = await imported(app, archive, { path: root }, mine);
    expect([statusCode, data.left_out]).toEqual([
      200,
      ['null', 'program', 'suid'].map((path) => ({ path, reason: 'EPERM' })),
    ]);
    const whole = await imported(app, archive, { path: root }, { 'x-api-key': 'key-of-all' });
    expect(whole.data.left_out).toEqual([]);
    const facts = (
      await app.inject({ url: `/v2/checkpoints/${data.id}/diff?to=${whole.data.id}`, headers: mine })
    ).json().data;
    expect(facts.changes.map(({ type, path }: { type: string; path: string }) => [type, path])).toEqual([
      ['added', 'null'],
      ['metadata', 'program'],
      ['metadata', 'suid'],
    ]);
    const refused = [
      await imported(app, archive, { path: directory.path }, mine),
      await imported(app, archive, { path: join(directory.path, 'none') }, mine),
      await imported(app, archive, { path: root, user: 'root' }, mine),
      await imported(app, archive, { path: root }, { 'x-api-key': 'key-that-reads' }),
    ];
    expect(refused.map((answer) => answer.statusCode)).toEqual([403, 403, 403, 403]);
  });
});
