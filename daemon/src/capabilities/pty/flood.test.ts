import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { lookUpIdentity } from '../../core/account/identity.ts';
import { findTool } from '../../core/tool-path.ts';
import { BARE, create, exec, info, sharedDirectory, TestViewer } from './pty.fixture.ts';

const hasScript = findTool('script') !== undefined;
if (!hasScript) process.stderr.write('not tested: 50 MB against script(1), which is not installed\n');
const root = process.platform === 'linux' && process.getuid?.() === 0;

test.runIf(hasScript)(
  '[pty.whole] two viewers, one stalled, receive 50 MB as script(1) recorded them',
  async () => {
    const directory = await sharedDirectory();
    await using daemon = await TestApp.start({ ptyHistoryBytes: 64 * 1024 ** 2 });
    const ws = (await daemon.listen()).replace('http', 'ws');
    const record = join(directory, 'typescript');
    const run = `read -r; script -q -c 'seq 1 5600000' ${record}; echo recorded; read -r`;
    await create(daemon, 'a', { command: 'bash', args: ['-c', `stty -echo; echo ready; ${run}`] });
    const url = `${ws}/v2/pty/sessions/a/ws?protocol=binary`;
    await using quick = new TestViewer(url);
    await using stalled = new TestViewer(url);
    await Promise.all([quick.shows('ready\r\n'), stalled.shows('ready\r\n')]);
    stalled.socket.pause();
    quick.send(Buffer.from('\r'));
    await quick.shows('recorded\r\n');
    expect(stalled.length).toBeLessThan(quick.length);
    stalled.socket.resume();
    await stalled.shows('recorded\r\n');
    const recorded = await readFile(record);
    const body = recorded.subarray(recorded.indexOf('\n') + 1, recorded.lastIndexOf('\n5600000\r\n') + 10);
    expect(body.length).toBeGreaterThan(48_000_000);
    const shown = [Buffer.from('ready\r\n'), body, Buffer.from('recorded\r\n')];
    for (const viewer of [quick, stalled]) expect(viewer.bytes.equals(Buffer.concat(shown))).toBe(true);
    await rm(directory, { recursive: true });
  },
  300_000,
);

/** Number of live processes in /proc for which `met` is true. */
function processes(met: (name: string, session: number) => boolean): number {
  return readdirSync('/proc').filter((name) => {
    try {
      if (!/^\d+$/.test(name)) return false;
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state = 'Z', , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return !'ZX'.includes(state) && met(name, Number(session));
    } catch {
      return false;
    }
  }).length;
}

test.runIf(root)('[pty.fork-bomb] a fork bomb under a limit ends with its session', async () => {
  const { uid } = lookUpIdentity('nobody');
  // The limit counts all processes of the account, those of other programs too.
  const before = processes((name) => statSync(`/proc/${name}`).uid === uid);
  await using daemon = await TestApp.start();
  await create(daemon, 'a', { ...BARE, user: 'nobody' });
  const { pid } = await info(daemon, 'a');
  const bombs = () => processes((_, session) => session === pid);
  await exec(daemon, 'a', `ulimit -u ${before + 40}; bomb() { bomb | bomb & }; bomb`, { timeout: 1 });
  await expect.poll(bombs).toBeGreaterThan(5);
  await create(daemon, 'b');
  expect(await exec(daemon, 'b', 'echo others live')).toMatchObject({ output: 'others live\n' });
  expect((await daemon.inject({ method: 'DELETE', url: '/v2/pty/sessions/a' })).statusCode).toBe(200);
  await expect.poll(bombs).toBe(0);
  expect(await info(daemon, 'b')).toMatchObject({ status: 'idle' });
});
