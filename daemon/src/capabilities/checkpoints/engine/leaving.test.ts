import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import type { Engine } from './engine.ts';
import { describeTree, OWN, openEngine, TREE_PROGRAM, wholly } from './tree.fixture.ts';

const FILES = 300;

function makeFiles(tree: string, content: string): void {
  mkdirSync(tree, { recursive: true });
  for (let index = 0; index < FILES; index += 1) writeFileSync(join(tree, `${index}`), `${content} ${index}`);
}

function stateOf(engine: Engine, store: string): unknown {
  return [engine.bytes, engine.records.map(({ id }) => id), readdirSync(join(store, 'packs'))];
}

describe.runIf(TREE_PROGRAM.isThere)('callers that leave', () => {
  test('[checkpoint.gone] a checkpoint, a diff and a restore end without a trace', async () => {
    await using directory = await tempDir();
    const [store, tree] = ['store', 'tree'].map((name) => join(directory.path, name)) as [string, string];
    makeFiles(tree, 'before');
    using engine = openEngine(store);
    const root = Buffer.from(tree);
    const { id } = await engine.create({ ...OWN, root });
    makeFiles(tree, 'after');
    const [state, now] = [stateOf(engine, store), describeTree(tree)];
    const calls: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
      (signal) => engine.create({ ...OWN, root }, signal),
      (signal) => engine.diff({ id, to: undefined, account: undefined, maxChanges: 10 }, signal),
      (signal) => engine.diffFile({ id, to: undefined, account: undefined }, signal),
      (signal) => engine.restore(wholly(id), signal),
    ];
    for (const call of calls) {
      for (const isBefore of [true, false]) {
        const leaving = new AbortController();
        if (isBefore) leaving.abort();
        const calling = call(leaving.signal);
        leaving.abort();
        await expect(calling).rejects.toMatchObject({ kind: 'unavailable' });
        expect([stateOf(engine, store), describeTree(tree)]).toEqual([state, now]);
      }
    }
    expect(readdirSync(store).sort()).toEqual(['checkpoints', 'incoming', 'index', 'name', 'packs']);
    expect((await engine.diff({ id, to: undefined, account: undefined, maxChanges: 10 })).counts.modified).toBe(FILES);
  });

  test('[checkpoint.gone] a restore that has changed something is finished', async () => {
    await using directory = await tempDir();
    const [store, tree] = ['store', 'tree'].map((name) => join(directory.path, name)) as [string, string];
    makeFiles(tree, 'before');
    using engine = openEngine(store);
    const { id } = await engine.create({ ...OWN, root: Buffer.from(tree) });
    const state = describeTree(tree);
    makeFiles(tree, 'after');
    const leaving = new AbortController();
    const watcher = watch(tree, () => leaving.abort());
    const { notRestored } = await engine.restore(wholly(id), leaving.signal);
    watcher.close();
    expect([leaving.signal.aborted, notRestored, describeTree(tree)]).toEqual([true, [], state]);
  });

  test('[checkpoint.gone] what waits for a client that has left does not begin', async () => {
    await using directory = await tempDir();
    const [slow, tree] = ['slow', 'tree'].map((name) => join(directory.path, name)) as [string, string];
    makeFiles(tree, 'before');
    makeFiles(slow, 'slow');
    await using app = await TestApp.start();
    const { id } = (await app.post('/v2/checkpoints', { path: tree })).json().data;
    rmSync(join(tree, '0'));
    const url = await app.listen();
    // A file that a lease keeps closed is tried for 2 s: the restore waits for that checkpoint.
    using _held = await lease(join(slow, '0'));
    const running = app.post('/v2/checkpoints', { path: slow });
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const head = `POST /v2/checkpoints/${id}/restore HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-length: 2\r\n\r\n{}`;
    await new Promise((resolve) => socket.write(head, resolve));
    await expect.poll(() => app.connections()).toBe(1);
    // Without a reset it may be a client that has ended its half, which is asked after some seconds.
    socket.resetAndDestroy();
    await expect.poll(() => app.connections()).toBe(0);
    expect((await running).json().data.left_out_count).toBe(1);
    const { data } = (await app.post('/v2/checkpoints', { path: tree })).json();
    expect([data.files, (await app.inject('/v2/checkpoints')).json().data.total_count]).toEqual([FILES - 1, 3]);
  });
});

/** Holds a write lease on a file until it is disposed. */
async function lease(path: string): Promise<Disposable> {
  const script = `import fcntl, os, signal, sys, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
fcntl.fcntl(os.open(sys.argv[1], os.O_RDWR), fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("leased", flush=True)
time.sleep(600)`;
  const holder = spawn('python3', ['-c', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return { [Symbol.dispose]: () => void holder.kill('SIGKILL') };
}
