import { hostname } from 'node:os';
import { VERSION } from '@sandbox/api/version.ts';
import { expect, test } from 'vitest';
import { identityOfCommands, TestApp } from '../../../app.fixture.ts';

test('[sandbox.v2-info] the sandbox says what it is, under data and beside it', async () => {
  await using daemon = await TestApp.start();
  const { success, message, hint, data, ...beside } = (await daemon.inject('/v2/sandbox')).json();
  expect({ success, message, hint }).toEqual({ success: true, message: 'sandbox', hint: null });
  expect(beside).toEqual(data);
  const { name, home } = identityOfCommands();
  expect(data).toMatchObject({
    version: VERSION,
    hostname: hostname(),
    os: expect.stringMatching(/\S/),
    kernel: expect.stringMatching(/\S/),
    arch: process.arch,
    user: name,
    home_dir: home,
    workspace_dir: home,
    timezone: expect.stringMatching(/^\w+/),
    uptime_seconds: expect.any(Number),
    labels: {},
    capabilities: { files: true, exec: { pty: true }, checks: expect.any(Array) },
  });
  const commands = data.tools.flatMap(({ tools }: { tools: { name: string }[] }) => tools.map((tool) => tool.name));
  expect(commands).toEqual(expect.arrayContaining(['bash', 'sed', 'tar']));
});

test.each([
  ['lang=python', 200],
  ['lang=nodejs', 200],
  ['lang=node', 200],
  ['lang=ruby', 400],
  ['lang=constructor', 400],
  ['lang=', 422],
  ['', 422],
])('[status.unknown-lang-400] packages with %j answer %i', async (query, status) => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject(`/v2/sandbox/packages?${query}`);
  expect([answer.statusCode, answer.json().message]).toEqual([status, expect.any(String)]);
});

test('a text that an answer cuts within a surrogate pair ends with U+FFFD', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject(`/v2/sandbox/packages?lang=${encodeURIComponent(`${'x'.repeat(99)}😀`)}`);
  expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringMatching(/x{99}\ufffd$/)]);
});
