import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { lookUpIdentity } from '../../core/identity.ts';
import { findTool } from '../../core/tool-path.ts';
import { BARE, create, exec, info, sharedDirectory, TestViewer } from './pty.fixture.ts';

const hasScript = findTool('script') !== undefined;
if (!hasScript) process.stderr.write('not tested: 50 MB against script(1), which is not installed\n');
const root = process.platform === 'linux' && process.getuid?.() === 0;

test.runIf(hasScript)(
  '[pty.whole] of 50 MB two viewers, one stalled, get what script recorded',
  async () => {
    const directory = await sharedDirectory();
    await using daemon = await TestApp.start({ ptyHistoryBytes: 64 * 1024 ** 2 });
    const ws = (await daemon.listen()).replace('http', 'ws');
    const record = join(directory, 'typescript');
    const run = `read -r; script -q -c 'seq 1 5600000' ${record}; read -r`;
    await create(daemon, 'a', { command: 'bash', args: ['-c', `stty -echo; echo ready; ${run}`] });
    const url = `${ws}/v2/pty/sessions/a/ws?protocol=binary`;
    await using quick = new TestViewer(url);
    await using stalled = new TestViewer(url);
    await Promise.all([quick.shows('ready\r\n'), stalled.shows('ready\r\n')]);
    stalled.socket.pause();
    quick.send(Buffer.from('\r'));
    await quick.shows('\n5600000\r\n');
    expect(stalled.length).toBeLessThan(quick.length);
    stalled.socket.resume();
    await stalled.shows('\n5600000\r\n');
    const recorded = await readFile(record);
    const body = recorded.subarray(recorded.indexOf('\n') + 1, recorded.lastIndexOf('\n5600000\r\n') + 10);
    expect(body.length).toBeGreaterThan(48_000_000);
    for (const viewer of [quick, stalled]) expect(viewer.bytes.subarray('ready\r\n'.length).equals(body)).toBe(true);
    await rm(directory, { recursive: true });
  },
  300_000,
);

/** Processes of an account, by what /proc says. */
function processesOf(uid: number): number {
  return readdirSync('/proc').filter((name) => {
    try {
      return (
        /^\d+$/.test(name) &&
        statSync(`/proc/${name}`).uid === uid &&
        !/\) [ZX] /.test(readFileSync(`/proc/${name}/stat`, 'latin1'))
      );
    } catch {
      return false;
    }
  }).length;
}

test.runIf(root)(
  '[pty.fork-bomb] a fork bomb under a limit ends with its session',
  async () => {
    const { uid } = lookUpIdentity('nobody');
    const before = processesOf(uid);
    await using daemon = await TestApp.start();
    await create(daemon, 'a', { ...BARE, user: 'nobody' });
    await exec(daemon, 'a', `ulimit -u ${before + 40}; bomb() { bomb | bomb & }; bomb`, { timeout: 1 });
    await expect.poll(() => processesOf(uid)).toBeGreaterThan(before + 5);
    await create(daemon, 'b');
    expect(await exec(daemon, 'b', 'echo others live')).toMatchObject({ output: 'others live\n' });
    expect((await daemon.inject({ method: 'DELETE', url: '/v2/pty/sessions/a' })).statusCode).toBe(200);
    await expect.poll(() => processesOf(uid)).toBeLessThanOrEqual(before);
    expect(await info(daemon, 'b')).toMatchObject({ status: 'idle' });
  },
  60_000,
);
