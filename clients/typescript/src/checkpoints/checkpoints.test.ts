import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasKeeper } from '../../../../daemon/src/hosts.fixture.ts';
import { commandLine } from '../cli/cli.fixture.ts';
import { TestSandbox } from '../client.fixture.ts';

let it: TestSandbox;
let project: string;

beforeAll(async () => {
  it = await TestSandbox.start();
  project = join(it.directory, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'main.py'), 'print(1)\n');
});
afterAll(() => it[Symbol.asyncDispose]());

function breakIt(): void {
  writeFileSync(join(project, 'main.py'), 'broken\n');
  writeFileSync(join(project, 'extra'), 'x');
}

function expectWhole(): void {
  expect([readdirSync(project), readFileSync(join(project, 'main.py'), 'utf8')]).toEqual([['main.py'], 'print(1)\n']);
}

function sandbox(...words: string[]) {
  return commandLine(['checkpoint', ...words], '', { SANDBOX_URL: it.proxy.url, XDG_CONFIG_HOME: it.directory });
}

describe.runIf(hasKeeper)('checkpoints', () => {
  test('[client.checkpoints] a directory is kept, compared, read and restored', async () => {
    const { checkpoints } = it.sandbox;
    writeFileSync(join(project, 'left'), 'out');
    const { id, files } = await checkpoints.create(project, { label: 'works', exclude: ['left'] });
    rmSync(join(project, 'left'));
    expect(files).toBe(1);
    breakIt();
    const { changes, added } = await checkpoints.diff(id);
    expect([added, changes.map(({ type, path }) => [type, path])]).toEqual([
      1,
      [
        ['added', 'extra'],
        ['modified', 'main.py'],
      ],
    ]);
    expect((await checkpoints.restore(id, { dryRun: true, deleteNew: true })).checkpointBefore).toBeNull();
    const { checkpointBefore, notRestoredCount } = await checkpoints.restore(id, { deleteNew: true });
    expectWhole();
    expect(notRestoredCount).toBe(0);
    const before = checkpointBefore?.id ?? '';
    expect((await checkpoints.diff(id, { to: before })).modified).toBe(1);
    expect(new TextDecoder().decode(await checkpoints.read(before, 'main.py'))).toBe('broken\n');
    const listed = await checkpoints.list({ path: project });
    expect(listed.map(({ label, origin }) => [label, origin])).toEqual([
      [`before restore of ${id}`, 'restore'],
      ['works', 'manual'],
    ]);
    const archive: Uint8Array[] = [];
    for await (const chunk of checkpoints.export(id)) archive.push(chunk);
    const imported = await checkpoints.importArchive(new Uint8Array(Buffer.concat(archive)), {
      path: project,
      label: 'again',
    });
    expect([imported.origin, imported.label, imported.path]).toEqual(['import', 'again', project]);
    expect((await checkpoints.diff(id, { to: imported.id })).changes).toEqual([]);
    await checkpoints.remove(imported.id);
    await checkpoints.remove(before);
    await expect(checkpoints.diff(before)).rejects.toMatchObject({ status: 404 });
  });

  test('[cli.checkpoint] checkpoint takes, compares and restores', async () => {
    const { out } = await sandbox('create', project, '--label', 'of the command line', '--exclude', 'a,b');
    const id = out.trim();
    expect((await sandbox('list', project)).out).toMatch(new RegExp(`^${id}  .*  of the command line\n`));
    breakIt();
    expect((await sandbox('diff', id)).out).toBe('added     extra\nmodified  main.py\n');
    expect((await sandbox('diff', '--text', id)).out).toContain('+++ b/main.py\n@@ -1 +1 @@\n-print(1)\n+broken\n');
    const dry = await sandbox('restore', '--dry-run', '--delete-new', id);
    expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('3 changes would be made\n') });
    const { code, out: report } = await sandbox('restore', '--delete-new', id);
    expect([code, report]).toEqual([
      0,
      expect.stringMatching(/^removed {3}extra\nmetadata {2}\.\nmodified {2}main.py\n3 changes; before: cp-\w+\n$/),
    ]);
    expectWhole();
    const before = report.trim().split(' ').at(-1) ?? '';
    expect(await sandbox('cat', before, 'main.py')).toEqual({ code: 0, out: 'broken\n', err: '' });
    const archive = join(it.directory, 'archive.tar');
    writeFileSync(archive, (await sandbox('export', id)).out, 'latin1');
    expect(readFileSync(archive, 'latin1')).toContain('main.py');
    const imported = await sandbox('import', '--label', 'of an archive', archive, project);
    expect(imported).toMatchObject({ code: 0, out: expect.stringMatching(/^cp-\w+\n$/), err: '' });
    expect((await sandbox('diff', id, imported.out.trim())).out).toBe('');
    expect((await sandbox('import', join(it.directory, 'none'))).code).toBe(125);
    expect((await sandbox('delete', id)).code).toBe(0);
    expect(await sandbox('diff', id)).toMatchObject({ code: 125, err: expect.stringContaining('not found') });
    const wrong = [[], ['undo'], ['diff'], ['cat', before], ['create', 'a', 'b']];
    const codes = await Promise.all(wrong.map(async (words) => (await sandbox(...words)).code));
    expect(codes).toEqual(wrong.map(() => 2));
  });
});
