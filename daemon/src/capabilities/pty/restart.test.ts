import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';
import { isAlive } from '../commands/processes.fixture.ts';
import { BARE, TestViewer } from './pty.fixture.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandboxd-pty-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const wsOf = (daemon: DaemonProcess): string => daemon.base.replace('http', 'ws');

describe.runIf(hasKeeper)('with a keeper', () => {
  test('[pty.survives] a session, its program, its history and the offsets of its viewers survive SIGKILL of the daemon', async () => {
    const first = await DaemonProcess.start(directory);
    await first.data('/v2/pty/sessions', { ...BARE, id: 'a', cols: 90, cwd: '/usr' });
    await first.data('/v2/pty/sessions/a/exec', { command: 'echo early; A=kept' });
    await using viewer = new TestViewer(`${wsOf(first)}/v2/pty/sessions/a/ws`);
    await viewer.shows('early');
    await first.data('/v2/pty/sessions/a/exec', { command: 'echo reading; read -r x; echo "read $x"', async: true });
    await viewer.shows('reading\r\n');
    const before = await first.data('/v2/pty/sessions/a');
    await first.stop('SIGKILL');
    await viewer.closed;

    await using second = await DaemonProcess.start(directory);
    const after = await second.data('/v2/pty/sessions/a');
    expect(after).toMatchObject({ pid: before.pid, status: 'active', cols: 90, created_at: before.created_at });
    await using again = new TestViewer(`${wsOf(second)}/v2/pty/sessions/a/ws?since=${viewer.offset}`);
    await again.message('ready');
    again.type('back\r');
    await again.shows('read back');
    expect(again.text).not.toContain('early');
    const next = await second.data('/v2/pty/sessions/a/exec', { command: 'echo "$A $PWD"' });
    expect(next).toMatchObject({ status: 'completed', output: 'kept /usr\n' });
    const { output } = await second.data('/v2/pty/sessions/a/screen');
    expect(output).toMatch(/early[\s\S]*read back[\s\S]*kept/);
    await again.shows('kept');
  });

  test('[pty.keeper-lost] sessions of a dead keeper are reported lost, and a new session works', async () => {
    await using daemon = await DaemonProcess.start(directory);
    await daemon.data('/v2/pty/sessions', { ...BARE, id: 'a' });
    const { output } = await daemon.data('/v2/pty/sessions/a/exec', { command: "cut -d' ' -f4 /proc/$$/stat" });
    process.kill(Number(output), 'SIGKILL');
    await expect.poll(() => daemon.data('/v2/pty/sessions/a')).toMatchObject({ status: 'lost' });
    expect((await daemon.data('/v2/pty/sessions/a/screen')).output).toContain('cut');
    await daemon.data('/v2/pty/sessions', { ...BARE, id: 'b' });
    expect(await daemon.data('/v2/pty/sessions/b/exec', { command: 'echo works' })).toMatchObject({
      output: 'works\n',
    });
  });
});

test('[pty.portable-lost] without a keeper a session is lost with the daemon, and its history is kept', async () => {
  const portable = { SVC_PROCESS_HOST: 'portable' };
  const first = await DaemonProcess.start(directory, portable);
  await first.data('/v2/pty/sessions', { ...BARE, id: 'a' });
  await first.data('/v2/pty/sessions/a/exec', { command: 'echo early' });
  const { pid } = await first.data('/v2/pty/sessions/a');
  expect(await isAlive(pid)).toBe(true);
  await first.stop('SIGKILL');
  await using second = await DaemonProcess.start(directory, portable);
  expect(await second.data('/v2/pty/sessions/a')).toMatchObject({ status: 'lost', pid: null });
  expect((await second.data('/v2/pty/sessions/a/screen')).output).toContain('early');
  await expect.poll(() => isAlive(pid)).toBe(false);
});
