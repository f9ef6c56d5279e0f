import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApp } from '../../daemon/src/app.fixture.ts';
import { BACKENDS } from '../../daemon/src/capabilities/pty/pty.fixture.ts';
import { describeRows } from '../../scripts/testing/describe-rows.ts';
import { has } from '../../scripts/testing/machine.ts';
import { withGrowingTime } from '../../scripts/testing/rounds.ts';
import { STUBBORN_LINES, type StubbornLine } from './stubborn-lines.ts';

const IS_WHOLE = process.env['TEST_EXTENT'] === 'whole';

const SHELLS = [
  { shell: 'bash', isThere: true, start: { command: 'bash', args: ['--norc', '--noprofile'], env: { PS1: '$ ' } } },
  { shell: 'dash', isThere: true, start: { command: 'dash', args: ['-i'], env: { PS1: '$ ' } } },
  { shell: 'zsh', isThere: has('zsh'), start: { command: 'zsh', args: ['-f'], env: { PS1: '%% ' } } },
];

type Begin = (app: TestApp, id: string, command: string, begun: string) => Promise<unknown>;

const running: Begin = async (app, id, command, begun) => {
  const answer = await app.post(`/v2/pty/sessions/${id}/exec`, { command, async: true });
  expect(answer.json()).toMatchObject({ data: { status: 'running' } });
  expect(await pollUntil(() => existsSync(begun), { everyMs: 20, ms: 60_000 })).toBe('settled');
};

/** Each begins a line, ends it, and settles with the answer of the end. */
const ENDS: Readonly<Record<string, Begin>> = {
  // A line that has not begun by its hard timeout proves nothing; the next round has a longer one.
  hard_timeout: (app, id, command, begun) =>
    withGrowingTime(1, async (hard_timeout) => {
      const answer = await app.post(`/v2/pty/sessions/${id}/exec`, { command, hard_timeout });
      expect(answer.json()).toMatchObject({ data: { status: 'hard_timeout' } });
      return existsSync(begun) || undefined;
    }),
  'v1 kill': async (app, id, command, begun) => {
    await running(app, id, command, begun);
    expect((await app.post('/v1/shell/kill', { id })).json().data).toMatchObject({ status: 'terminated' });
  },
  ...Object.fromEntries(
    ['TERM', 'KILL'].map((signal): [string, Begin] => [
      `signal ${signal}`,
      async (app, id, command, begun) => {
        await running(app, id, command, begun);
        const answer = await app.post(`/v2/pty/sessions/${id}/signal`, { signal });
        expect(answer.json()).toMatchObject({ data: { delivered: true } });
      },
    ]),
  ),
};

/** Arguments of living processes. */
function commandLines(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      return [];
    }
  });
}

/** Lines and their ends. Each line has one end on one terminal, which differ from line to line, but for the whole. */
function pairsOn(shell: string, terminal: number): { line: StubbornLine; end: string }[] {
  return STUBBORN_LINES.flatMap((line, l) => {
    if (line.shells?.includes(shell) === false || !(IS_WHOLE || (l * 2) % 9 === terminal)) return [];
    const ends = Object.keys(ENDS).filter((_, e) => IS_WHOLE || (l + Math.floor(l / 4)) % 4 === e);
    return ends.map((end) => ({ line, end }));
  });
}

describeRows(
  BACKENDS,
  ({ name }) => name,
  (backend) => {
    let app: TestApp;
    let directory: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'stubborn-'));
      await chmod(directory, 0o777);
      app = await TestApp.start({ ...backend.config, shellMaxSessions: 100 });
    });
    afterAll(async () => {
      await app[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    });
    for (const [s, shell] of SHELLS.entries()) {
      describe.runIf(shell.isThere)(shell.shell, () => {
        for (const { line, end } of pairsOn(shell.shell, BACKENDS.indexOf(backend) * SHELLS.length + s)) {
          test.concurrent(`[pty.end-all] ${end} ends ${line.name}`, () =>
            endLine(app, directory, { start: shell.start, line, end }));
        }
      });
    }
  },
);

let tags = process.pid * 1000;

async function endLine(
  app: TestApp,
  directory: string,
  { start, line: { line }, end }: { start: object; line: StubbornLine; end: string },
): Promise<void> {
  const [kept, tag] = [String(++tags), String(++tags)];
  const id = `s${tag}`;
  const exec = async (command: string) =>
    (await app.post(`/v2/pty/sessions/${id}/exec`, { command, timeout: 60 })).json().data;
  expect((await app.post('/v2/pty/sessions', { id, ...start })).statusCode).toBe(200);
  expect(await exec(`cd ${directory}; sleep ${kept} &`)).toMatchObject({ status: 'completed' });
  const begun = join(directory, tag);
  await ENDS[end]?.(app, id, `: > ${begun}\n${line.replaceAll('TAG', tag)}`, begun);
  // What was killed is in /proc until the scheduler has ended it.
  const living = (): string[] => commandLines().filter((one) => one.includes(tag));
  await pollUntil(() => living().length === 0, { everyMs: 50, ms: 60_000 });
  expect(living()).toEqual([]);
  expect(commandLines().filter((one) => one.includes(kept))).toHaveLength(1);
  const next = await exec('echo "at $PWD"');
  expect(next).toMatchObject({ status: 'completed', output: `at ${directory}\n`, exit_code: 0 });
  await app.inject({ method: 'DELETE', url: `/v2/pty/sessions/${id}` });
}
