import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hasProc } from '../find/process-finder.ts';
import { bytesOf } from '../process-host.fixture.ts';
import { PortableHost } from './portable-host.ts';

/** Blocks the event loop, as a busy machine does. */
function stand(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function standUntil(met: () => boolean): void {
  while (!met()) stand(5);
}

const isDead = (pid: number): boolean => {
  const path = `/proc/${pid}/stat`;
  return !existsSync(path) || /\) [ZX] /.test(readFileSync(path, 'latin1'));
};

test.runIf(hasProc)('output that ended in time is not background, however late this process reads it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portable-process-'));
  mkdirSync(join(directory, 'work'));
  const [child, go] = [join(directory, 'work', 'child'), join(directory, 'work', 'go')];
  const host = new PortableHost({ output: join(directory, 'output'), scratch: join(directory, 'scratch') });
  try {
    const late = `until [ -e ${go} ]; do sleep 0.01; done; echo late`;
    const hosted = await host.start({
      id: 'c',
      file: 'sh',
      args: ['-c', `sh -c 'echo $$ > ${child}; ${late}' & until [ -s ${child} ]; do :; done`],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdin: 'null',
      outputMaxBytes: 65_536,
    });
    standUntil(() => isDead(hosted.pid));
    // The next turn of the event loop reaps it; before the turn after that all its output has ended.
    while (existsSync(`/proc/${hosted.pid}`)) await nextTurn();
    writeFileSync(go, '');
    standUntil(() => isDead(Number(readFileSync(child, 'utf8'))));
    stand(300);
    expect(await hosted.ended).toMatchObject({ exitCode: 0, background: false });
    expect((await bytesOf(hosted.output.stdout)).toString()).toBe('late\n');
  } finally {
    await host[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
});
