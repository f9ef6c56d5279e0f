import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { FAULTS, HostileServer } from '../hostile-server.fixture.ts';
import { Sandbox, SandboxError } from '../index.ts';
import { commandLine } from './cli.fixture.ts';
import { firstError } from './first-error.ts';
import { Held } from './held.ts';
import { COMMANDS } from './specs.ts';

test('[cli.waits] a command says at once that it waits for a connection, and ends in its time', async () => {
  const none = { SANDBOX_URL: `http://127.0.0.1:${await freePort()}` };
  for (const words of [
    ['ps', '--retry-for', '0.3'],
    ['run', '--timeout', '0.3', '--', 'true'],
  ]) {
    const { code, out, err } = await commandLine(words, '', none);
    expect([code, out]).toEqual([125, '']);
    expect(err).toMatch(/^sandbox: no connection to http:.*ECONNREFUSED.*\nsandbox: trying again for [\d.]+ s/);
  }
  expect(await commandLine(['ps', '--retry-for', 'x'], '', none)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--retry-for is not a number'),
  });
});

test('[cli.hostile] text of the service cannot steer the terminal, and garbage ends a command', async () => {
  await using server = await HostileServer.start();
  const at = { SANDBOX_URL: server.url };
  server.answer = (response) => response.end('no JSON');
  for (const words of [['ps'], ['run', '--', 'true'], ['info', '--json']]) {
    expect(await commandLine(words, '', at)).toMatchObject({
      code: 125,
      err: expect.stringMatching(/^sandbox: the answer is not that of a sandbox: /),
    });
  }
  server.answer = (response) => response.writeHead(418).end('{"message":"\\u001b[2J no","hint":"\\u009b2J"}');
  expect((await commandLine(['ps'], '', at)).err).toBe('sandbox: \\x1b[2J no\n\\x9b2J\n');
});

const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  run: ['true'],
  ps: [],
  logs: ['c'],
  kill: ['c'],
  shell: [],
  ls: ['/d'],
  cat: ['/f'],
  cp: ['sandbox:/f', join(tmpdir(), 'client-hostile-f')],
  edit: ['/f'],
  watch: ['/d'],
  checkpoint: ['list'],
  timeline: [],
  code: [join(import.meta.dirname, 'main.ts')],
  browser: ['snapshot'],
  desktop: ['record'],
  doctor: [],
  ticket: ['/v2/'],
  info: [],
  login: [],
};
/** They send no request, or one for each message or connection. */
const WITHOUT_ANSWER = ['port', 'forward', 'mcp', 'completion'];

test('[cli.hostile] each command ends with an error if the answers are not those of the service', async () => {
  expect([...Object.keys(ARGUMENTS), ...WITHOUT_ANSWER].sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
  await using server = await HostileServer.start();
  const client = Sandbox.at({ url: server.url, retryFor: 0.05, answerWithin: 0.5 });
  for (const fault of ['closes in the body', 'answers {"data":null}', 'answers {}', 'answers 500', 'is no HTTP']) {
    server.answer = FAULTS[fault] ?? server.answer;
    for (const { name, load } of COMMANDS.filter((spec) => !WITHOUT_ANSWER.includes(spec.name))) {
      const [stdin, out] = [new PassThrough().end(), new PassThrough().resume()];
      const stdout = out as unknown as NodeJS.WriteStream;
      const args = name === 'login' ? [server.url] : (ARGUMENTS[name] ?? []);
      const printed: string[] = [];
      const run = (await load())({
        commands: COMMANDS,
        sandbox: client,
        held: new Held(),
        args,
        options: {},
        print: (shown) => printed.push(shown),
        terminal: { env: {}, stdin: stdin as unknown as NodeJS.ReadStream, stdout, stderr: stdout },
      });
      // A file may have any bytes, and a signal wants no data.
      const mayEnd = ['kill', 'cat', 'cp'].includes(name) && fault.startsWith('answers {');
      const outcome = await run.then(
        () => (mayEnd ? new SandboxError('') : 'ended'),
        (error: unknown) => firstError(error),
      );
      expect([fault, name, printed, outcome]).toEqual([fault, name, [], expect.any(SandboxError)]);
    }
  }
});
