import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeOnBackends, Watching } from './watching.fixture.ts';

describeOnBackends(({ open, everything }) => {
  test('[watch.event-types] creation, change and removal of a file are reported, and those of a directory', async () => {
    await using watching = new Watching(open());
    const watcher = await watching.watch();
    watching.put('a', 'x');
    expect(await watching.until(watcher, 'create a')).toEqual(['create a']);
    appendFileSync(watching.path('a'), 'y');
    expect(await watching.until(watcher, 'write a')).toEqual(['write a']);
    rmSync(watching.path('a'));
    expect(await watching.until(watcher, 'remove a')).toEqual(['remove a']);
    mkdirSync(watching.path('d'));
    expect(await watching.until(watcher, 'create d')).toEqual(['create d']);
    rmSync(watching.path('d'), { recursive: true });
    expect(await watching.until(watcher, 'remove d')).toEqual(['remove d']);
  });

  test('[watch.recursive] everything in a new directory is reported, in any order of creation', async () => {
    await using watching = new Watching(open());
    const watcher = await watching.watch();
    mkdirSync(watching.path('a/b/c'), { recursive: true });
    writeFileSync(watching.path('a/b/c/file'), 'x');
    const seen = await watching.until(watcher, 'create a/b/c/file');
    expect(seen.filter((words) => words.startsWith('create')).sort()).toEqual([
      'create a',
      'create a/b',
      'create a/b/c',
      'create a/b/c/file',
    ]);
    writeFileSync(watching.path('a/b/c/later'), 'x');
    await watching.until(watcher, 'create a/b/c/later');
  });

  test('[watch.recursive] without recursion only the directory itself is watched', async () => {
    await using watching = new Watching(open());
    mkdirSync(watching.path('d'));
    const watcher = await watching.watch({ recursive: false });
    writeFileSync(watching.path('d/below'), '');
    writeFileSync(watching.path('top'), '');
    const seen = await watching.until(watcher, 'create top');
    expect(seen.filter((words) => words.includes('below'))).toEqual([]);
  });

  test('[watch.exclude] [watch.include] [watch.parts] patterns exclude and include, and unfinished uploads are never reported', async () => {
    await using watching = new Watching(open());
    const picky = await watching.watch({ exclude: ['skip', '*.tmp'], include: ['*.ts', 'last'] });
    mkdirSync(watching.path('skip'));
    mkdirSync(watching.path('src'));
    const all = await watching.watch({ include: ['*'] });
    writeFileSync(watching.path('skip/a.ts'), '');
    writeFileSync(watching.path('src/b.ts'), '');
    writeFileSync(watching.path('src/b.js'), '');
    writeFileSync(watching.path('c.tmp'), '');
    writeFileSync(watching.path('.svc-upload-1.part'), '');
    const seen = await watching.until(picky, 'create src/b.ts');
    renameSync(watching.path('.svc-upload-1.part'), watching.path('last'));
    seen.push(...(await watching.until(picky, 'create last')));
    expect(seen.filter((words) => /skip|tmp|js|svc/.test(words))).toEqual([]);
    expect((await watching.until(all, 'create last')).filter((words) => words.includes('svc'))).toEqual([]);
  });

  test('a link to a directory is reported and not followed', async () => {
    await using watching = new Watching(open());
    mkdirSync(watching.path('real'));
    symlinkSync('real', watching.path('link'));
    const watcher = await watching.watch();
    symlinkSync('real', watching.path('later'));
    const seen = await watching.until(watcher, 'create later');
    writeFileSync(watching.path('real/file'), '');
    seen.push(...(await watching.until(watcher, 'create real/file')));
    writeFileSync(watching.path('end'), '');
    seen.push(...(await watching.until(watcher, 'create end')));
    expect(seen.filter((words) => /(?:link|later)\//.test(words))).toEqual([]);
  });

  test('[watch.rename] a rename is reported', async () => {
    await using watching = new Watching(open());
    mkdirSync(watching.path('d'));
    writeFileSync(watching.path('a'), '');
    const watcher = await watching.watch();
    renameSync(watching.path('a'), watching.path('d/b'));
    const wanted = everything ? ['rename a > d/b'] : ['create d/b', 'remove a'];
    const seen: string[] = [];
    for (const words of wanted) if (!seen.includes(words)) seen.push(...(await watching.until(watcher, words)));
    expect(seen.sort()).toEqual(wanted);
  });
});
