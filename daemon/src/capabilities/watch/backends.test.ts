import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeOnBackends, Watching } from './watching.fixture.ts';

describeOnBackends(({ open, everything }) => {
  test('[watch.event-types] a file that comes, changes and goes is told, and so is a directory', async () => {
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

  test('[watch.recursive] what a new directory holds is told, whatever order it came in', async () => {
    await using watching = new Watching(open());
    const watcher = await watching.watch();
    mkdirSync(watching.path('a/b/c'), { recursive: true });
    writeFileSync(watching.path('a/b/c/file'), 'x');
    const told = await watching.until(watcher, 'create a/b/c/file');
    expect(told.filter((words) => words.startsWith('create')).sort()).toEqual([
      'create a',
      'create a/b',
      'create a/b/c',
      'create a/b/c/file',
    ]);
    writeFileSync(watching.path('a/b/c/later'), 'x');
    await watching.until(watcher, 'create a/b/c/later');
  });

  test('[watch.recursive] without recursion only the directory itself is seen', async () => {
    await using watching = new Watching(open());
    mkdirSync(watching.path('d'));
    const watcher = await watching.watch({ recursive: false });
    writeFileSync(watching.path('d/below'), '');
    writeFileSync(watching.path('top'), '');
    const told = await watching.until(watcher, 'create top');
    expect(told.filter((words) => words.includes('below'))).toEqual([]);
  });

  test('[watch.exclude] [watch.include] [watch.parts] patterns leave out and pick, and spooled uploads are never told', async () => {
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
    const told = await watching.until(picky, 'create src/b.ts');
    renameSync(watching.path('.svc-upload-1.part'), watching.path('last'));
    told.push(...(await watching.until(picky, 'create last')));
    expect(told.filter((words) => /skip|tmp|js|svc/.test(words))).toEqual([]);
    expect((await watching.until(all, 'create last')).filter((words) => words.includes('svc'))).toEqual([]);
  });

  test('a link to a directory is told and not followed', async () => {
    await using watching = new Watching(open());
    mkdirSync(watching.path('real'));
    symlinkSync('real', watching.path('link'));
    const watcher = await watching.watch();
    symlinkSync('real', watching.path('later'));
    const told = await watching.until(watcher, 'create later');
    writeFileSync(watching.path('real/file'), '');
    told.push(...(await watching.until(watcher, 'create real/file')));
    writeFileSync(watching.path('end'), '');
    told.push(...(await watching.until(watcher, 'create end')));
    expect(told.filter((words) => /(?:link|later)\//.test(words))).toEqual([]);
  });

  test('[watch.rename] a rename is told', async () => {
    await using watching = new Watching(open());
    mkdirSync(watching.path('d'));
    writeFileSync(watching.path('a'), '');
    const watcher = await watching.watch();
    renameSync(watching.path('a'), watching.path('d/b'));
    const wanted = everything ? ['rename a > d/b'] : ['create d/b', 'remove a'];
    const told: string[] = [];
    for (const words of wanted) if (!told.includes(words)) told.push(...(await watching.until(watcher, words)));
    expect(told.sort()).toEqual(wanted);
  });
});
