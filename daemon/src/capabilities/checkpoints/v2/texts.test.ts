import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { hasKeeper } from '../../../hosts.fixture.ts';

interface Change {
  readonly type: string;
  readonly path: string;
  readonly text?: string;
  readonly text_omitted?: string;
}

async function checkpointOf(app: TestApp, path: string): Promise<string> {
  const answer = await app.post('/v2/checkpoints', { path });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data.id;
}

async function changesOf(app: TestApp, id: string, query = 'text=true'): Promise<Change[]> {
  const answer = await app.inject(`/v2/checkpoints/${id}/diff?${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data.changes;
}

async function linesOf(app: TestApp, url: string): Promise<Record<string, unknown>[]> {
  const answer = await app.inject({ url, headers: { accept: 'application/x-ndjson' } });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  return answer.body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe.runIf(hasKeeper)('checkpoints', () => {
  test('[checkpoint.text] the texts of all changes are a patch that makes the new tree of the old one', async () => {
    await using directory = await tempDir();
    const [root, old] = [join(directory.path, 'tree'), join(directory.path, 'old')];
    await using app = await TestApp.start();
    await app.run(
      `mkdir -p ${root}/a && cd ${root} && seq 50 > a/edited && echo gone > gone && echo 'x y' > 'with space'`,
    );
    writeFileSync(join(root, 'tab\t"and\\more'), 'quoted\n');
    writeFileSync(join(root, 'no end'), 'one\ntwo');
    cpSync(root, old, { recursive: true });
    const id = await checkpointOf(app, root);
    await app.run(`cd ${root} && sed -i 's/^7$/seven/; s/^40$//' a/edited && rm gone && printf 'ä\n' > new`);
    for (const name of ['with space', 'tab\t"and\\more', 'no end']) writeFileSync(join(root, name), 'changed\n');
    const changes = await changesOf(app, id);
    expect(changes.map(({ type, path, text_omitted }) => [type, path, text_omitted])).toEqual([
      ['modified', 'a/edited', undefined],
      ['removed', 'gone', undefined],
      ['added', 'new', undefined],
      ['modified', 'no end', undefined],
      ['modified', 'tab\t"and\\more', undefined],
      ['modified', 'with space', undefined],
    ]);
    expect(changes[3]?.text).toBe(
      '--- a/no end\t\n+++ b/no end\t\n@@ -1,2 +1 @@\n-one\n-two\n\\ No newline at end of file\n+changed\n',
    );
    const patch = join(directory.path, 'patch');
    writeFileSync(patch, changes.map(({ text }) => text ?? '').join(''));
    execFileSync('git', ['apply', patch], {
      cwd: old,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: directory.path },
    });
    expect(execFileSync('diff', ['-r', old, root], { encoding: 'utf8' })).toBe('');

    // The same between two checkpoints.
    const next = await checkpointOf(app, root);
    expect(await changesOf(app, id, `text=true&to=${next}`)).toEqual(changes);
    expect((await changesOf(app, id, `to=${next}`)).some((change) => 'text' in change)).toBe(false);
  });

  test('[checkpoint.text] what has no text, or not all of it, says why', async () => {
    await using directory = await tempDir();
    const root = directory.path;
    const path = (name: string): string => join(root, name);
    const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');
    for (const name of ['binary', 'huge', 'long', 'moved', 'same', 'to-link']) writeFileSync(path(name), `${name}\n`);
    await using app = await TestApp.start();
    const id = await checkpointOf(app, root);
    writeFileSync(path('binary'), Buffer.from([0x62, 0xff, 0x0a]));
    truncateSync(path('huge'), 1024 ** 2 + 1);
    writeFileSync(path('long'), long);
    renameSync(path('moved'), path('moved-there'));
    rmSync(path('to-link'));
    symlinkSync('elsewhere', path('to-link'));
    await app.run(`chmod 600 ${path('same')}`);
    const changes = await changesOf(app, id);
    expect(changes.map(({ type, path, text, text_omitted }) => [type, path, typeof text, text_omitted])).toEqual([
      ['modified', 'binary', 'undefined', 'binary'],
      ['modified', 'huge', 'undefined', 'too_large'],
      ['modified', 'long', 'string', 'cut'],
      ['renamed', 'moved-there', 'undefined', undefined],
      ['metadata', 'same', 'undefined', undefined],
      ['modified', 'to-link', 'undefined', undefined],
    ]);
    const { text = '' } = changes[2] ?? {};
    expect(text.length).toBeGreaterThan(65_000);
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(/^--- a\/long\n\+\+\+ b\/long\n@@ -1 \+1,\d+ @@\n-long\n\+line 0\n/);
    expect(
      long.startsWith(
        text
          .split('\n')
          .slice(4, -1)
          .map((line) => `${line.slice(1)}\n`)
          .join(''),
      ),
    ).toBe(true);
  });

  test('[checkpoint.text] all texts of an answer have a limit', async () => {
    await using directory = await tempDir();
    await using app = await TestApp.start();
    const id = await checkpointOf(app, directory.path);
    for (let index = 0; index < 40; index += 1)
      writeFileSync(join(directory.path, `${index + 10}`), `${index} `.repeat(15_000).replaceAll('0 ', '\n'));
    const changes = await changesOf(app, id);
    const bytes = changes.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeGreaterThan(900_000);
    expect(bytes).toBeLessThanOrEqual(1024 ** 2);
    expect(changes.at(-1)).toMatchObject({ type: 'added', text_omitted: 'cut' });
    expect(changes.at(-1)).not.toHaveProperty('text');
  });

  test('[checkpoint.text] as NDJSON all changes are sent, from a file that has no name', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'tree');
    const runtimeDir = join(directory.path, 'runtime');
    mkdirSync(runtimeDir, { mode: 0o700 });
    await using app = await TestApp.start({}, runtimeDir);
    await app.run(`mkdir ${root}`);
    const id = await checkpointOf(app, root);
    await app.run(`cd ${root} && for i in $(seq 1500); do echo $i > f$i; done`);
    const lines = await linesOf(app, `/v2/checkpoints/${id}/diff?text=true`);
    expect(lines[0]).toEqual({
      ...{ type: 'diff', from: id, to: 'now' },
      ...{ added: 1500, removed: 0, modified: 0, metadata: 0, renamed: 0 },
    });
    expect(lines.at(-1)).toEqual({ type: 'end', truncated: false });
    expect(lines).toHaveLength(1502);
    expect(lines[1]).toMatchObject({ type: 'change', change: { path: 'f1', text: expect.stringContaining('+1\n') } });
    const kept = readdirSync(join(runtimeDir, 'checkpoints'));
    expect(kept.filter((name) => name.startsWith('changes-'))).toEqual([]);
    const unknown = { url: '/v2/checkpoints/cp-none/diff', headers: { accept: 'application/x-ndjson' } };
    expect((await app.inject(unknown)).statusCode).toBe(404);
  });
});
