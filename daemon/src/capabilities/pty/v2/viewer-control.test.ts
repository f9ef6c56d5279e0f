import { expect, test } from 'vitest';
import { create, info, started, TestViewer } from '../pty.fixture.ts';

test.concurrent('[pty.ws-ping] the service sends ping every 20 s in either protocol', async () => {
  await using service = await started();
  const { daemon, ws } = service;
  await create(daemon, 'a');
  const begun = Date.now();
  await using json = new TestViewer(`${ws}/v2/pty/sessions/a/ws`);
  await using binary = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
  await Promise.all([json.message('ready'), binary.message('ready')]);
  const ready = Date.now();
  for (const viewer of [json, binary]) {
    const { timestamp } = await viewer.message('ping');
    expect(timestamp).toBeGreaterThanOrEqual(begun + 19_900);
    expect(timestamp).toBeLessThan(ready + 22_000);
    viewer.send({ type: 'pong', timestamp });
    viewer.send({ type: 'ping', timestamp: 7 });
    expect(await viewer.message('pong')).toEqual({ type: 'pong', timestamp: 7 });
    expect(viewer.messages.some(({ type }) => type === 'error')).toBe(false);
  }
});

test.concurrent('[pty.ws-resize-last] the last resize of any viewer counts, and a read-only viewer cannot resize', async ({
  expect,
}) => {
  await using service = await started();
  const { daemon, ws } = service;
  await create(daemon, 'a');
  const url = `${ws}/v2/pty/sessions/a/ws`;
  await using first = new TestViewer(url);
  await using second = new TestViewer(url);
  await using reader = new TestViewer(`${url}?readonly=true`);
  await Promise.all([first.shows('$ '), second.shows('$ '), reader.shows('$ ')]);
  first.send({ type: 'resize', cols: 90, rows: 20 });
  await expect.poll(() => info(daemon, 'a')).toMatchObject({ cols: 90, rows: 20 });
  second.send({ type: 'resize', cols: 60, rows: 15 });
  await expect.poll(() => info(daemon, 'a')).toMatchObject({ cols: 60, rows: 15 });
  reader.send({ type: 'resize', cols: 50, rows: 10 });
  expect(await reader.message('error')).toEqual({ type: 'error', data: 'this viewer is read-only' });
  first.type('stty size\r');
  await second.shows('15 60');
});

test.concurrent('[pty.ws-cut-input] a socket that closes within a character loses no byte of its input', async () => {
  await using service = await started();
  const { daemon, ws } = service;
  await create(daemon, 'a', {
    command: 'bash',
    args: ['-c', 'stty raw -echo; echo ready; head -c 3 | od -An -tx1; read x'],
  });
  const cut = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
  await cut.shows('ready');
  cut.send(Buffer.from([0xe6, 0x97]));
  cut.send({ type: 'ping' });
  await cut.message('pong');
  await cut[Symbol.asyncDispose]();
  await using next = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
  await next.shows('ready');
  next.send(Buffer.from([0xa5]));
  await next.shows('e6 97 a5');
});
