import { once } from 'node:events';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestApp } from '../../app.fixture.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';

interface Seen {
  readonly state: string;
  readonly since: string;
  readonly holders: readonly { readonly kind: string; readonly id: string; readonly since: string }[];
  readonly last: Readonly<Record<string, string | null>>;
}

const SHELL = { command: 'bash', args: ['--norc', '--noprofile'], env: { PS1: '$ ' } };
/** Seconds; short, so that a terminal at its prompt is idle soon. */
const QUIET = { activityQuietSeconds: 0.1 };

/** A program in the foreground that shows a page and then waits for a line, silently. */
const PAGER = `sh -c 'echo page "one"; read line'\n`;

async function seen(daemon: TestApp): Promise<Seen> {
  return (await daemon.inject('/v2/sandbox/activity')).json().data;
}

async function kinds(daemon: TestApp): Promise<string[]> {
  return (await seen(daemon)).holders.map(({ kind }) => kind);
}

/** Waits until exactly these hold the sandbox. */
async function heldBy(daemon: TestApp, ...expected: string[]): Promise<void> {
  await pollUntil(async () => JSON.stringify(await kinds(daemon)) === JSON.stringify(expected), {
    everyMs: 10,
    ms: 60_000,
  });
  expect(await kinds(daemon)).toEqual(expected);
  expect((await seen(daemon)).state).toBe(expected.length === 0 ? 'idle' : 'busy');
}

async function type(daemon: TestApp, id: string, input: string): Promise<void> {
  await daemon.post(`/v2/pty/sessions/${id}/input`, { input });
}

async function shows(daemon: TestApp, id: string, text: string): Promise<void> {
  const output = async () => (await daemon.inject(`/v2/pty/sessions/${id}/screen`)).json().data.output;
  await pollUntil(async () => (await output()).includes(text), { everyMs: 10, ms: 60_000 });
}

/** Opens a terminal, and waits until it has shown its prompt. */
async function openTerminal(daemon: TestApp, id: string): Promise<void> {
  await daemon.post('/v2/pty/sessions', { id, ...SHELL });
  await shows(daemon, id, '$');
}

async function close(daemon: TestApp, id: string): Promise<void> {
  await daemon.inject({ method: 'DELETE', url: `/v2/pty/sessions/${id}` });
}

describeOnHosts('activity', () => {
  test('[activity.command] a silent command holds the sandbox since its start, until its end', async () => {
    await using daemon = await TestApp.start();
    const idle = await seen(daemon);
    expect(idle).toMatchObject({ state: 'idle', holders: [], last: { command: null } });
    const { command_id, started_at } = await daemon.run('read line', { mode: 'async' });
    const busy = await seen(daemon);
    expect(busy).toMatchObject({
      state: 'busy',
      since: started_at,
      holders: [{ kind: 'command', id: command_id, since: started_at }],
    });
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: '\n' });
    await heldBy(daemon);
    const after = await seen(daemon);
    expect(Date.parse(after.since)).toBeGreaterThanOrEqual(Date.parse(busy.since));
    expect(after.last['command']).not.toBeNull();
  });

  test('[activity.terminal] a prompt is idle; output, input and a silent program in the foreground hold', async () => {
    await using daemon = await TestApp.start(QUIET);
    await openTerminal(daemon, 't');
    await heldBy(daemon);
    const { last } = await seen(daemon);
    await type(daemon, 't', PAGER);
    await shows(daemon, 't', 'page one');
    const quiet = performance.now() + 4 * QUIET.activityQuietSeconds * 1000;
    await pollUntil(() => performance.now() > quiet, { everyMs: 20, ms: 60_000 });
    expect(await kinds(daemon)).toEqual(['terminal']);
    await type(daemon, 't', '\n');
    await heldBy(daemon);
    expect(Date.parse(String((await seen(daemon)).last['terminal']))).toBeGreaterThan(
      Date.parse(String(last['terminal'])),
    );
  });

  test('[activity.terminal] a terminal that is closed holds no more', async () => {
    await using daemon = await TestApp.start({ activityQuietSeconds: 3600 });
    await openTerminal(daemon, 't');
    await heldBy(daemon, 'terminal');
    await close(daemon, 't');
    await heldBy(daemon);
  });

  test('[activity.viewer] a viewer holds as long as it is connected', async () => {
    await using daemon = await TestApp.start(QUIET);
    const base = (await daemon.listen()).replace('http', 'ws');
    await openTerminal(daemon, 't');
    await heldBy(daemon);
    const viewer = new WebSocket(`${base}/v2/pty/sessions/t/ws`);
    await once(viewer, 'open');
    await heldBy(daemon, 'viewer');
    viewer.close();
    await heldBy(daemon);
  });
});

describe('transfers', () => {
  test('[activity.transfer] an upload holds from its head to its answer', async () => {
    await using directory = await TestApp.start();
    const { port } = new URL(await directory.listen());
    const socket = connect(Number(port), '127.0.0.1');
    const path = join(directory.directory, 'uploaded');
    socket.write(
      `PUT /v2/fs/upload?path=${path} HTTP/1.1\r\nhost: a\r\nx-request-id: up\r\ncontent-length: 4\r\n\r\nab`,
    );
    await heldBy(directory, 'transfer');
    expect((await seen(directory)).holders[0]?.id).toBe('up');
    socket.write('cd');
    await once(socket, 'data');
    await heldBy(directory);
    socket.destroy();
    const { last } = await seen(directory);
    expect([last['transfer'], last['file']]).toEqual([expect.any(String), expect.any(String)]);
  });

  test('[activity.transfer] a transfer that its client gives up holds no more', async () => {
    await using daemon = await TestApp.start();
    const { port } = new URL(await daemon.listen());
    const socket = connect(Number(port), '127.0.0.1');
    const path = join(daemon.directory, 'never');
    socket.write(`PUT /v2/fs/upload?path=${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nab`);
    await heldBy(daemon, 'transfer');
    socket.destroy();
    await heldBy(daemon);
  });

  test('[activity.transfer] a download that its client leaves half-way holds no more', async () => {
    await using daemon = await TestApp.start();
    const { port } = new URL(await daemon.listen());
    const path = join(daemon.directory, 'large');
    await writeFile(path, '');
    // More than the buffers of a connection hold.
    await truncate(path, 256 * 1024 * 1024);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /v2/fs/download?path=${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    await once(socket, 'readable');
    await heldBy(daemon, 'transfer');
    socket.destroy();
    await heldBy(daemon);
  });
});

test('[activity.polling] neither state nor listings nor probes count', async () => {
  await using daemon = await TestApp.start(QUIET);
  await openTerminal(daemon, 't');
  const { command_id } = await daemon.run('true');
  await heldBy(daemon);
  const before = await seen(daemon);
  for (const url of [
    '/v2/sandbox',
    '/v2/sandbox/activity',
    '/ready',
    '/v2/commands',
    `/v2/commands/${command_id}`,
    '/v2/pty/sessions',
    '/v2/pty/sessions/t/screen',
    '/v2/fs/stat?path=/',
    '/v2/fs/list?path=/',
  ]) {
    expect((await daemon.inject(url)).statusCode, url).toBe(200);
  }
  await daemon.inject('/v2/fs/read?path=/nonexistent');
  expect(await seen(daemon)).toEqual(before);
});

test('[activity.last] each kind has the time of its last use', async () => {
  await using daemon = await TestApp.start();
  const kindsUsed = async () => Object.entries((await seen(daemon)).last).flatMap(([kind, at]) => (at ? [kind] : []));
  expect(Object.keys((await seen(daemon)).last)).toEqual([
    'command',
    'terminal',
    'file',
    'cell',
    'browser',
    'transfer',
  ]);
  expect(await kindsUsed()).toEqual([]);
  const path = join(daemon.directory, 'written');
  await daemon.post('/v2/fs/write', { path, content: 'x' });
  expect(await kindsUsed()).toEqual(['file']);
  await daemon.inject(`/v2/fs/download?path=${path}`);
  await heldBy(daemon);
  expect(await kindsUsed()).toEqual(['file', 'transfer']);
  await daemon.run('true');
  expect(await kindsUsed()).toEqual(['command', 'file', 'transfer']);
});

test('[activity.day] a recorded day is right at every step', async () => {
  await using daemon = await TestApp.start(QUIET);
  const base = (await daemon.listen()).replace('http', 'ws');
  const path = join(daemon.directory, 'notes');
  const ids: string[] = [];
  let viewer: WebSocket | undefined;
  const start = async (command: string) => void ids.push((await daemon.run(command, { mode: 'async' })).command_id);
  const finish = async (id: string | undefined) => daemon.post(`/v2/commands/${id}/stdin`, { input: '\n' });
  const day: readonly [step: string, act: () => Promise<unknown>, holders: readonly string[]][] = [
    ['the sandbox boots', async () => undefined, []],
    ['the agent writes a file', () => daemon.post('/v2/fs/write', { path, content: 'plan' }), []],
    ['it runs a short command', () => daemon.run('true'), []],
    ['it begins a build', () => start('read build'), ['command']],
    ['and a server', () => start('read server'), ['command', 'command']],
    ['the build ends', () => finish(ids[0]), ['command']],
    ['a person opens a terminal', () => openTerminal(daemon, 't'), ['command']],
    [
      'and looks at it',
      async () => {
        viewer = new WebSocket(`${base}/v2/pty/sessions/t/ws`);
        await once(viewer, 'open');
      },
      ['command', 'viewer'],
    ],
    ['the server ends', () => finish(ids[1]), ['viewer']],
    [
      'the person starts a pager',
      async () => {
        await type(daemon, 't', PAGER);
        await shows(daemon, 't', 'page one');
      },
      ['viewer', 'terminal'],
    ],
    ['and leaves it running', async () => viewer?.close(), ['terminal']],
    ['the pager ends', () => type(daemon, 't', '\n'), []],
    ['a dashboard polls', () => daemon.inject('/v2/commands'), []],
  ];
  for (const [step, act, holders] of day) {
    await act();
    await heldBy(daemon, ...holders).catch((error: unknown) => {
      throw new Error(`${step}: ${error}`);
    });
  }
});

test.runIf(process.platform === 'linux')(
  '[activity.restart] a command that outlived the daemon holds since its start',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'activity-'));
    const first = await DaemonProcess.start(directory);
    const { command_id, started_at } = await first.data('/v2/commands', { command: 'sleep 600', mode: 'async' });
    await first.stop('SIGKILL');
    await using second = await DaemonProcess.start(directory);
    expect(await second.data('/v2/sandbox/activity')).toMatchObject({
      state: 'busy',
      since: started_at,
      holders: [{ kind: 'command', id: command_id, since: started_at }],
    });
    await second.stop('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  },
);
