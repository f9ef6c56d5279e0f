import { readFile } from 'node:fs/promises';
import type { InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

/** What people type: three lines each, the call, status and message, and the beginning of the hint. */
const TABLE = new URL('wrong-calls.txt', import.meta.url);

test('[manners.wrong-calls] [manners.message] [manners.hint] a wrong call is told the field, what is wanted, and the next step', async () => {
  const lines = (await readFile(TABLE, 'utf8')).trimEnd().split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(3 * 200);
  await using daemon = await TestApp.start();
  const faults: string[] = [];
  for (let at = 0; at < lines.length; at += 3) {
    const [call = '', said = '', hint = ''] = lines.slice(at, at + 3);
    const [method, url = '', ...body] = call.replaceAll('DIR', daemon.directory).split(' ');
    const payload =
      body.length === 0 ? {} : { payload: body.join(' '), headers: { 'content-type': 'application/json' } };
    const answer = await daemon.inject({ method, url, ...payload } as InjectOptions);
    const { message, hint: given } = answer.json();
    const got = `${answer.statusCode} ${message}`.replaceAll(daemon.directory, 'DIR');
    if (!got.startsWith(said.trim()) || !String(given).startsWith(hint.trim()))
      faults.push(`${call}\n  ${got}\n  ${given}`);
  }
  expect(faults).toEqual([]);
});

test.each(['key', 'token', 'password', 'env', 'content', 'stdin'])(
  '[manners.message] a value of %s is not shown',
  async (name) => {
    await using daemon = await TestApp.start();
    const bodies: Record<string, [string, object]> = {
      key: ['/v2/sandbox/claim', { api_key: 'sekret value' }],
      token: ['/v2/sandbox/claim', { labels: { token: ['sekret value'] } }],
      password: ['/v2/sandbox/claim', { env: { PASSWORD: ['sekret value'] } }],
      env: ['/v2/commands', { command: 'true', env: 'sekret value' }],
      content: ['/v2/fs/edit', { path: '/x', command: ['sekret value'] }],
      stdin: ['/v2/code/execute', { language: 'python', code: '1', stdin: 'sekret value' }],
    };
    const [url, body] = bodies[name] ?? ['', {}];
    const answer = await daemon.post(url, body);
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(answer.body).not.toContain('sekret');
  },
);
