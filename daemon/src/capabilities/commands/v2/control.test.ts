import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { read } from '../output.fixture.ts';
import { isAlive } from '../processes.fixture.ts';

const MIB = 1024 ** 2;
/** Commands run in a row without a change of the number, after which it counts as standing still. */
const TURNS = 10;

const gone = (pid: number) => expect.poll(() => isAlive(pid)).toBe(false);

/** So many MiB of zeros, in pieces of one. */
function* zeros(count: number): Generator<Buffer> {
  for (let i = 0; i < count; i += 1) yield Buffer.alloc(MIB);
}

/** Waits until a number stands still while the daemon serves other calls; answers it. */
async function standsStill(daemon: TestApp, number: () => number): Promise<number> {
  let before = -1;
  for (let turns = 0; turns < TURNS; turns += 1) {
    if (number() !== before) turns = 0;
    before = number();
    await daemon.run('true');
  }
  return before;
}

describeOnHosts('stdin', () => {
  test('[stdin.input] [stdin.eof] input is decoded by its encoding, eof closes the pipe', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('cat', { mode: 'async' });
    const write = (body: object) => daemon.post(`/v2/commands/${command_id}/stdin`, body);
    expect((await write({ input: 'tëxt|' })).json().data).toEqual({
      command_id,
      bytes_written: 6,
      stdin_bytes: 6,
      eof: false,
    });
    await write({ input: Buffer.from([0x61, 0xff, 0]).toString('base64'), encoding: 'base64' });
    await write({ eof: true });
    const data = await read(daemon, command_id, '?wait=true&offset=9&encoding=base64');
    expect(data.command).toMatchObject({ status: 'completed', exit_code: 0 });
    const whole = await read(daemon, command_id, '?encoding=base64');
    expect(Buffer.from(whole.stdout, 'base64')).toEqual(
      Buffer.concat([Buffer.from('tëxt|'), Buffer.from([0x61, 0xff, 0])]),
    );
  });

  test('[stdin.raw] a raw body is streamed in with backpressure', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const path = join(daemon.directory, 'input');
    const input = Buffer.alloc(100_000_000, 'abc');
    await writeFile(path, input);
    const { command_id } = await daemon.run('sha256sum', { mode: 'async' });
    const upload = request(`${base}/v2/commands/${command_id}/stdin?eof=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
    });
    const status = new Promise((resolve) => upload.once('response', (answer) => resolve(answer.resume().statusCode)));
    await pipeline(createReadStream(path), upload);
    expect(await status).toBe(200);
    await read(daemon, command_id, '?wait=true');
    expect((await read(daemon, command_id)).stdout).toBe(`${hash('sha256', input)}  -\n`);
  });

  test('a command that does not read its stdin does not fill the memory', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const go = join(tmpdir(), `go-${randomUUID()}`);
    const { command_id } = await daemon.run(`until [ -e ${go} ]; do sleep 0.02; done; exec wc -c`, { mode: 'async' });
    const upload = request(`${base}/v2/commands/${command_id}/stdin?eof=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
    });
    const answered = once(upload, 'response');
    const sending = pipeline(Readable.from(zeros(256)), upload);
    const taken = await standsStill(daemon, () => upload.socket?.bytesWritten ?? 0);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(64 * MIB);
    await writeFile(go, '');
    await sending;
    const [answer] = await answered;
    expect(JSON.parse(await text(answer)).data).toEqual({
      command_id,
      bytes_written: 256 * MIB,
      stdin_bytes: 256 * MIB,
      eof: true,
    });
    await read(daemon, command_id, '?wait=true');
    expect((await read(daemon, command_id)).stdout).toBe(`${256 * MIB}\n`);
    await rm(go);
  });

  test('[stdin.ended-409] after the end, without a pipe, and after eof it answers 409', async () => {
    await using daemon = await TestApp.start();
    const status = async (id: string) => (await daemon.post(`/v2/commands/${id}/stdin`, { input: 'x' })).statusCode;
    expect(await status((await daemon.run('true')).command_id)).toBe(409);
    expect(await status((await daemon.run('sleep 60', { timeout: 0 })).command_id)).toBe(409);
    const { command_id } = await daemon.run('sleep 60', { mode: 'async' });
    await daemon.post(`/v2/commands/${command_id}/stdin`, { eof: true });
    expect(await status(command_id)).toBe(409);
  });

  test('a wrong body answers 422', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('cat', { mode: 'async' });
    for (const body of [{ input: 5 }, { input: 'x', encoding: 'rot13' }, { eof: 'yes' }]) {
      expect((await daemon.post(`/v2/commands/${command_id}/stdin`, body)).statusCode).toBe(422);
    }
  });
});

describeOnHosts('kill', () => {
  test('[kill.default-term] [cmd.status-killed] [kill.group] SIGTERM by default, to all its processes', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('sleep 81 & sleep 82 & echo $!; wait; echo never', { mode: 'async' });
    const child = Number((await read(daemon, command_id, '?wait=true')).stdout);
    const answer = (await daemon.post(`/v2/commands/${command_id}/kill`)).json();
    expect(answer.data).toMatchObject({ command_id, signal: 'SIGTERM', processes: 3 });
    const ended = await read(daemon, command_id, '?wait=true&offset=99');
    expect(ended.command).toMatchObject({ status: 'killed', signal: 'SIGTERM', exit_code: -1 });
    await gone(child);
  });

  test.each(['KILL', 'SIGKILL', 'sigkill', 9])('signal %j is SIGKILL', async (signal) => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run("trap '' TERM; sleep 83", { mode: 'async' });
    await daemon.post(`/v2/commands/${command_id}/kill`, { signal });
    expect((await read(daemon, command_id, '?wait=true')).command).toMatchObject({
      status: 'killed',
      signal: 'SIGKILL',
    });
  });

  test('a command that signals itself is killed', async () => {
    await using daemon = await TestApp.start();
    expect(await daemon.run('kill -HUP $$')).toMatchObject({ status: 'killed', signal: 'SIGHUP', exit_code: -1 });
  });

  test('[kill.escapees] it reaches processes that left the group, the session and their parent', async () => {
    await using daemon = await TestApp.start();
    const script = [
      'setsid sleep 84 & echo $!',
      '(setsid bash -c "sleep 85 & echo \\$!; disown" &)',
      'nohup sleep 86 > /dev/null 2>&1 & echo $!',
      'sleep 87',
    ].join('\n');
    const { command_id } = await daemon.run(script, { mode: 'async' });
    await expect.poll(async () => (await read(daemon, command_id)).stdout.split('\n').length).toBe(4);
    const pids = (await read(daemon, command_id)).stdout.trim().split('\n').map(Number);
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true, true]);
    await daemon.post(`/v2/commands/${command_id}/kill`, { signal: 'KILL' });
    for (const pid of pids) await gone(pid);
  });

  test('[kill.left-behind] it reaches processes that an ended command left behind', async () => {
    await using daemon = await TestApp.start();
    const { command_id, stdout, status } = await daemon.run('setsid sleep 88 > /dev/null 2>&1 & echo $!');
    expect(status).toBe('completed');
    expect((await daemon.post(`/v2/commands/${command_id}/kill`)).json().data).toMatchObject({
      processes: 1,
      status: 'completed',
    });
    await gone(Number(stdout));
  });

  test('[kill.nothing-left] with nothing left it answers 200 and changes nothing', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('exit 3');
    const answer = await daemon.post(`/v2/commands/${command_id}/kill`);
    expect(answer.statusCode).toBe(200);
    expect(answer.json().data).toMatchObject({ processes: 0, status: 'completed' });
    expect((await read(daemon, command_id)).command).toMatchObject({ status: 'completed', exit_code: 3 });
  });

  test.each(['SIGNOPE', '', 0, 999, 'SIG'])('[kill.unknown-signal] signal %j answers 422', async (signal) => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('sleep 60', { mode: 'async' });
    const answer = await daemon.post(`/v2/commands/${command_id}/kill`, { signal });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors[0].location).toEqual(['body', 'signal']);
  });

  test('[cmd.mark-out-of-reach] a process that leaves all of them and cleans its environment is out of reach', async () => {
    await using daemon = await TestApp.start();
    const { command_id, stdout } = await daemon.run('(setsid env -i sleep 89 > /dev/null 2>&1 & echo $!)');
    const pid = Number(stdout);
    // setsid and env still carry the mark: wait for what they execute.
    await expect.poll(() => readFile(`/proc/${pid}/cmdline`, 'latin1')).toBe(['sleep', '89', ''].join('\0'));
    expect((await daemon.post(`/v2/commands/${command_id}/kill`)).json().data.processes).toBe(0);
    expect(await isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});
