import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { hasKeeper } from '../../../hosts.fixture.ts';
import { describeTree } from '../engine/tree.fixture.ts';

const isRoot = process.getuid?.() === 0;

async function exported(app: TestApp, path: string): Promise<Buffer> {
  const { id } = (await app.post('/v2/checkpoints', { path })).json().data;
  const answer = await app.inject(`/v2/checkpoints/${id}/export`);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/x-tar']);
  return answer.rawPayload;
}

describe.runIf(hasKeeper)('checkpoints', () => {
  test('[checkpoint.export] GNU tar extracts the directory as it was', async () => {
    await using directory = await tempDir();
    const path = (name: string): string => join(directory.path, name);
    const [root, copy, archive] = [path('tree'), path('copy'), path('tar')];
    await using app = await TestApp.start();
    const long = 'l'.repeat(200);
    const made =
      await app.run(`mkdir -p ${root}/empty ${root}/${long}/${long} ${root}/a/b ${root}/a-b && touch ${root}/a/b/c ${root}/a-b/c && cd ${root} &&
      seq 2000000 > large && printf x > $'not\\xffutf8' && mkdir $'d\\xfe' && printf y > $'d\\xfe/${long}\\xff' &&
      ln large hard && ln -s $'to\\xff' link && ln -s ${long}/${long} longlink && mkfifo pipe && : > nothing &&
      truncate -s 3M holes && printf mid | dd of=holes bs=1 seek=1048576 conv=notrunc status=none && truncate -s 8k all-hole &&
      printf s > ${long}/${long}/deep && chmod 4711 nothing && chmod 700 empty &&
      touch -d '1960-02-03 04:05:06.789' old && touch -d '2030-01-01 00:00:00.000000001' empty`);
    expect(made.exit_code, made.output).toBe(0);
    if (isRoot) await app.run(`cd ${root} && chown 4000000:7 old && mknod null c 1 3 && mknod big b 300 70000`);
    const before = describeTree(root);
    writeFileSync(archive, await exported(app, root));
    mkdirSync(copy);
    execFileSync('tar', ['-xpf', archive, '-C', copy, '--numeric-owner'], { stdio: ['ignore', 'inherit', 'inherit'] });
    expect(describeTree(copy)).toEqual(before);
    expect((await app.run(`du -k ${copy}/holes | cut -f1`)).output.trim()).toMatch(/^(?:4|8|12)$/);
    const listed = execFileSync('tar', ['-tvf', archive], { encoding: 'latin1' });
    expect(listed).toContain(' link to hard\n');
    if (isRoot) expect(listed).toMatch(/crw.* 1,3 .* null\n/);
    if (isRoot) expect(listed).toMatch(/brw.* 300,70000 .* big\n/);
  });

  test('[checkpoint.export] extended attributes are records of pax, and what is left out is counted', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'tree');
    await using app = await TestApp.start();
    const file = join(directory.path, 'make.py');
    const script = `import os,socket; os.makedirs('${root}'); os.chdir('${root}'); open('f','w').write('x')
socket.socket(socket.AF_UNIX).bind('s')
try: os.setxattr('f','user.a=b%', b'v\\x00\\n')
except OSError: print('without')`;
    writeFileSync(file, script);
    const { output, exit_code } = await app.run(`python3 ${file}`);
    expect(exit_code, output).toBe(0);
    const archive = (await exported(app, root)).toString('latin1');
    if (!output.includes('without')) expect(archive).toContain('SCHILY.xattr.user.a%3Db%25=v\0\n\n');
    expect(archive).toContain('comment=left out: 1 sockets, 0 files without content\n');
    expect(archive.length % 512).toBe(0);
    expect((await app.inject('/v2/checkpoints/cp-none/export')).statusCode).toBe(404);
  });
});
