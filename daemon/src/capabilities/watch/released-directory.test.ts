import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hasInotify, Watching } from './watching.fixture.ts';

const ROUNDS = 200;
/** Holds the event loop for a program, so that answers and events of the reader arrive together. */
function hold(): void {
  execFileSync('/bin/true');
}

test.runIf(hasInotify)(
  '[watch.faithful] a directory that was removed before its watch began has no events',
  // 400 programs are started, which takes a busy machine minutes.
  { timeout: 600_000 },
  async () => {
    await using watching = new Watching();
    const watcher = await watching.watch();
    const directory = watching.path('d');
    for (let round = 0; round < ROUNDS; round += 1) {
      mkdirSync(directory);
      for (let turns = round % 8; turns > 0; turns -= 1) await turn();
      rmdirSync(directory);
      mkdirSync(directory);
      hold();
      writeFileSync(watching.path('d', 'inner'), '');
      hold();
      await turn();
      rmSync(directory, { recursive: true });
    }
    mkdirSync(directory);
    writeFileSync(watching.path('d', 'inner'), '');
    const reported = await watching.until(watcher, 'create d/inner');
    expect(reported.filter((words) => / inner$/.test(words))).toEqual([]);
  },
);
