import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';
import { BARE, info, sharedDirectory, TestViewer } from './pty.fixture.ts';

/** A shell that nothing but a signal ends, with a mark in its command line. */
const waitingShell = (mark: string) => ({ command: 'bash', args: ['-c', 'while :; do read -r; done', mark] });

/** Processes with this mark in their command line. */
async function shellsOf(mark: string): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(mark)).length;
}

/** Notes itself in the directory, then how many of the shells noted there are alive. */
const countingShell = (directory: string) => ({
  command: 'bash',
  args: [
    '-c',
    `cd ${directory}; : > all/$$; n=0; for f in all/*; do kill -0 "\${f#all/}" && n=$((n + 1)); done 2> /dev/null
     echo "$n" > counts/$$; while :; do read -r; done`,
  ],
});

async function openUnnamed(daemon: TestApp, terms: object): Promise<string> {
  const answer = await daemon.post('/v2/pty/sessions', terms);
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
  return answer.json().data.session_id;
}

describeOnHosts('capacity', () => {
  test('[pty.create-once] of 32 concurrent creates of one id one opens a session, and one shell runs', async () => {
    const mark = randomUUID();
    await using daemon = await TestApp.start({ shellMaxSessions: 3 });
    // The first create waits for the end of a session that gives way, while the others check the id and the ceiling.
    for (let i = 0; i < 3; i += 1) await openUnnamed(daemon, BARE);
    const terms = { ...waitingShell(mark), id: 'a' };
    const answers = await Promise.all(Array.from({ length: 32 }, () => daemon.post('/v2/pty/sessions', terms)));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 31 }, () => 409)]);
    const { stats } = (await daemon.inject('/v2/pty/sessions')).json().data;
    expect(stats.total_sessions).toBe(3);
    // The portable host answers before the shell has taken the place of the program that starts it.
    await expect.poll(() => shellsOf(mark)).toBe(1);
  });

  test('[pty.ceiling] 40 concurrent creates beside a full ceiling of 20 never run more than 20 shells', async () => {
    const directory = await sharedDirectory();
    for (const name of ['all', 'counts']) {
      await mkdir(join(directory, name));
      // The shells may run as another account.
      await chmod(join(directory, name), 0o777);
    }
    await using daemon = await TestApp.start({ shellMaxSessions: 20 });
    const terms = countingShell(directory);
    const counted = async () => (await readdir(join(directory, 'counts'))).length;
    for (let i = 0; i < 20; i += 1) await openUnnamed(daemon, terms);
    await expect.poll(counted).toBe(20);
    const answers = await Promise.all(Array.from({ length: 40 }, () => daemon.post('/v2/pty/sessions', terms)));
    const opened = answers.filter(({ statusCode }) => statusCode === 200);
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(opened.length).toBeGreaterThanOrEqual(20);
    expect(opened.length + refused.length).toBe(40);
    for (const answer of refused) expect(answer.json().data.holders).toHaveLength(20);
    const { stats } = (await daemon.inject('/v2/pty/sessions')).json().data;
    expect(stats.total_sessions).toBe(20);
    await expect.poll(counted).toBeGreaterThanOrEqual(40);
    const names = await readdir(join(directory, 'counts'));
    const counts = await Promise.all(names.map((name) => readFile(join(directory, 'counts', name), 'utf8')));
    expect(Math.max(...counts.map(Number))).toBe(20);
    await rm(directory, { recursive: true });
  });

  test('[pty.capacity] a session that a later call has used by its id does not give way', async () => {
    await using daemon = await TestApp.start({ shellMaxSessions: 1 });
    const [unused, used] = [await openUnnamed(daemon, BARE), await openUnnamed(daemon, BARE)];
    expect((await daemon.inject(`/v2/pty/sessions/${unused}`)).statusCode).toBe(404);
    await info(daemon, used);
    const full = await daemon.post('/v2/pty/sessions', BARE);
    expect([full.statusCode, full.json().data?.holders[0].session_id]).toEqual([429, used]);
  });

  test('[pty.capacity] a session that a viewer has opened by its id does not give way after the viewer has left', async () => {
    await using daemon = await TestApp.start({ shellMaxSessions: 1 });
    const base = await daemon.listen();
    const id = await openUnnamed(daemon, BARE);
    await using viewer = new TestViewer(`${base.replace('http', 'ws')}/v2/pty/sessions/${id}/ws`);
    await viewer.message('ready');
    await viewer[Symbol.asyncDispose]();
    const attached = async () => (await daemon.inject('/v2/pty/sessions')).json().data.sessions[id]?.attached;
    await expect.poll(attached).toBe(0);
    expect((await daemon.post('/v2/pty/sessions', BARE)).statusCode).toBe(429);
  });

  test('[pty.capacity] a session that a later call has used expires no more, unless the caller asked for that', async () => {
    await using daemon = await TestApp.start({ shellSessionTimeout: 1 });
    const ids = [await openUnnamed(daemon, BARE), await openUnnamed(daemon, { ...BARE, retention: 'expiring' })];
    for (const id of ids) await info(daemon, id);
    const unused = await openUnnamed(daemon, BARE);
    const open = async () => Object.keys((await daemon.inject('/v2/pty/sessions')).json().data.sessions);
    expect(await open()).toContain(unused);
    await expect.poll(open).toEqual([ids[0]]);
  });

  test('a session that is closed while its shell starts leaves no shell behind', async () => {
    const mark = randomUUID();
    await using daemon = await TestApp.start();
    const creating = daemon.post('/v2/pty/sessions', { ...waitingShell(mark), id: 'a' });
    await expect
      .poll(() => daemon.inject({ method: 'DELETE', url: '/v2/pty/sessions/a' }), { interval: 0 })
      .toMatchObject({ statusCode: 200 });
    await creating;
    await expect.poll(() => shellsOf(mark)).toBe(0);
    expect((await daemon.inject('/v2/pty/sessions/a')).statusCode).toBe(404);
  });
});
