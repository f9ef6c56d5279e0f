import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestApp } from './app.fixture.ts';

const start = (overrides = {}) =>
  TestApp.start({ defaultUser: undefined, ...overrides }, undefined, undefined, 'win32');

/** Calls that run a program or create a file for an account. */
function callsOf(daemon: TestApp): readonly (readonly [url: string, body: object])[] {
  const path = join(daemon.directory, 'written');
  return [
    ['/v2/commands', { command: 'true' }],
    ['/v2/commands/sessions', {}],
    [`/v2/fs/write`, { path, content: 'x' }],
    [`/v2/fs/mkdir`, { path: `${path}-directory` }],
  ];
}

describe('on Windows', () => {
  test('[status.windows-user-400] an explicit user answers 400, for commands and for files', async () => {
    await using daemon = await start();
    for (const [url, body] of callsOf(daemon)) {
      // The routes of files take the user in the query, those of commands in the body.
      const answer = url.startsWith('/v2/fs/')
        ? await daemon.post(`${url}?user=sandbox`, body)
        : await daemon.post(url, { ...body, user: 'sandbox' });
      expect([url, answer.statusCode, answer.json().message]).toEqual([url, 400, 'user cannot be chosen on Windows']);
    }
  });

  test('[status.windows-default-503] a default account answers 503 with a hint where it would apply', async () => {
    await using daemon = await start({ defaultUser: 'sandbox' });
    for (const [url, body] of callsOf(daemon).filter(([path]) => path !== '/v2/commands/sessions')) {
      const answer = await daemon.post(url, body);
      expect([url, answer.statusCode, answer.json().message, answer.json().hint]).toEqual([
        url,
        503,
        'SVC_DEFAULT_USER has no effect on Windows',
        'start the daemon without SVC_DEFAULT_USER',
      ]);
    }
    expect((await daemon.inject('/v2/fs/list?path=/')).statusCode).toBe(200);
  });

  test('[status.windows-501] terminals answer 501, on every route and before any other rule', async () => {
    await using daemon = await start();
    for (const [method, url] of [
      ['POST', '/v2/pty/sessions'],
      ['GET', '/v2/pty/sessions'],
      ['GET', '/v2/pty/sessions/none'],
      ['POST', '/v2/pty/sessions/none/exec'],
    ] as const) {
      const answer = await daemon.inject({ method, url, ...(method === 'POST' && { payload: {} }) });
      expect([url, answer.statusCode, answer.json().message, answer.json().hint]).toEqual([
        url,
        501,
        'pty is not implemented on this system',
        expect.any(String),
      ]);
    }
  });

  test('without a user commands, files and the context are served, and terminals are no part of readiness', async () => {
    await using daemon = await start();
    for (const [url, body] of callsOf(daemon)) expect((await daemon.post(url, body)).statusCode, url).toBe(200);
    const ready = (await daemon.inject('/ready')).json().data.checks;
    expect(ready.map(({ name }: { name: string }) => name)).not.toContain('terminals');
    const { exec } = (await daemon.inject('/v2/sandbox')).json().data.capabilities;
    expect(exec.pty).toBe(false);
  });
});
