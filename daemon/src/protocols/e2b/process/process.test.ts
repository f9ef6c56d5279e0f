import { mkdirSync } from 'node:fs';
import { mkdtempDisposable, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { collect, E2bClient } from '../e2b-client.fixture.ts';

const bash = (text: string, more: object = {}) => ({
  process: { cmd: '/bin/bash', args: ['-l', '-c', text], ...more },
  stdin: false,
});
const byPid = (pid: number) => ({ process: { selector: { case: 'pid', value: pid } } });
const encoded = (text: string) => new TextEncoder().encode(text);

function codeOf(error: unknown): string {
  return error instanceof ConnectError ? (Code[error.code] ?? '') : String(error);
}

describeOnHosts('processes', () => {
  test.each([true, false])('[e2b.process] a command has its streams and its end, binary %s', async (binary) => {
    await using client = await E2bClient.start();
    const { start, connect } = client.rpc({ binary }).process;
    const run = await collect(start(bash('echo out; echo err >&2; exit 3')));
    expect(run).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
    expect(run.end).toMatchObject({ exitCode: 3, exited: true, status: 'exit status 3', error: 'exit status 3' });
    expect(await collect(connect(byPid(run.pid)))).toEqual(run);
  });

  test('[e2b.process] a directory that is a link keeps its name in shells', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'e2b-link-'));
    const link = join(directory.path, 'link');
    await symlink('/tmp', link);
    await using client = await E2bClient.start();
    const { start } = client.rpc().process;
    expect((await collect(start(bash('pwd', { cwd: link })))).stdout).toBe(`${link}\n`);
    const terminal = { ...bash('pwd', { cwd: link }), pty: { size: { cols: 200, rows: 24 } } };
    expect((await collect(start(terminal))).pty).toContain(link);
  });

  test('[e2b.process] stdin, a tag and a signal reach a command; /v2 lists it under its text', async () => {
    await using client = await E2bClient.start();
    const { start, sendInput, closeStdin, list, sendSignal, streamInput } = client.rpc().process;
    const stream = start({ ...bash('cat; sleep 600'), stdin: true, tag: 'mine' })[Symbol.asyncIterator]();
    const { pid } = (await stream.next()).value.event.event.value;
    const tagged = { process: { selector: { case: 'tag', value: 'mine' } } };
    expect((await list({})).processes).toMatchObject([{ pid, tag: 'mine', config: { cmd: '/bin/bash' } }]);
    await sendInput({ ...tagged, input: { input: { case: 'stdin', value: encoded('a') } } });
    await streamInput(
      (async function* () {
        yield { event: { case: 'start', value: tagged } };
        yield { event: { case: 'keepalive', value: {} } };
        yield { event: { case: 'data', value: { input: { input: { case: 'stdin', value: encoded('bc') } } } } };
      })(),
    );
    await closeStdin(tagged);
    const { commands } = (await client.app.inject('/v2/commands')).json().data;
    expect(commands).toMatchObject([{ command: 'cat; sleep 600', pid, status: 'running' }]);
    await sendSignal({ ...byPid(pid), signal: 9 });
    const all = await collect({ [Symbol.asyncIterator]: () => stream });
    expect(all).toMatchObject({ stdout: 'abc', end: { exitCode: -1, exited: false, status: 'signal: killed' } });
    expect((await list({})).processes).toEqual([]);
    await expect(sendSignal({ ...byPid(pid), signal: 9 }).catch(codeOf)).resolves.toBe('NotFound');
  });

  test('[e2b.process] a terminal is a session of ours, with its size and its end', async () => {
    await using client = await E2bClient.start();
    const { start, sendInput, update } = client.rpc().process;
    const stream = start({
      process: { cmd: '/bin/bash', args: ['--norc'], envs: { TERM: 'xterm' } },
      pty: { size: { cols: 90, rows: 20 } },
    })[Symbol.asyncIterator]();
    const { pid } = (await stream.next()).value.event.event.value;
    const { sessions } = (await client.app.inject('/v2/pty/sessions')).json().data;
    expect(Object.keys(sessions)).toHaveLength(1);
    await update({ ...byPid(pid), pty: { size: { cols: 101, rows: 31 } } });
    await sendInput({ ...byPid(pid), input: { input: { case: 'pty', value: encoded('stty size; exit 4\n') } } });
    const all = await collect({ [Symbol.asyncIterator]: () => stream });
    expect(all.pty).toContain('31 101');
    expect(all.end).toMatchObject({ exitCode: 4, exited: true });
  });

  test('[e2b.process] what the client asks wrongly has the code of its fault', async () => {
    await using client = await E2bClient.start();
    const { start, connect, sendInput } = client.rpc().process;
    expect(await collect(start(bash('pwd', { cwd: '/no/such' }))).catch(codeOf)).toBe('InvalidArgument');
    expect(await collect(start({ process: { cmd: '' } })).catch(codeOf)).toBe('InvalidArgument');
    expect(await collect(start({ process: { cmd: '/no/program' } })).catch(codeOf)).toBe('InvalidArgument');
    expect(await collect(connect(byPid(4_000_000))).catch(codeOf)).toBe('NotFound');
    expect(await sendInput({}).catch(codeOf)).toBe('InvalidArgument');
    const nobody = client.rpc({ headers: { authorization: `Basic ${btoa('no-such-user:')}` } }).process;
    expect(await collect(nobody.start(bash('true'))).catch(codeOf)).toBe('Unauthenticated');
    const user = client.rpc({ headers: { authorization: `Basic ${btoa('user:')}` } }).process;
    expect((await collect(user.start(bash('echo ok')))).stdout).toBe('ok\n');
  });

  test('[e2b.records] a program that cannot be recorded is refused and ended', async () => {
    await using client = await E2bClient.start();
    mkdirSync(join(client.app.directory, 'protocols/e2b/started.json.next'), { recursive: true });
    const { start, list } = client.rpc().process;
    expect(await collect(start(bash('sleep 600'))).catch(codeOf)).toBe('Unavailable');
    expect((await list({})).processes).toEqual([]);
    const { commands } = (await client.app.inject('/v2/commands')).json().data;
    expect(commands).toMatchObject([{ status: 'killed' }]);
  });

  test('[e2b.process] the deadline of the client ends the stream and all processes of the command', async () => {
    await using client = await E2bClient.start();
    const { start, list } = client.rpc().process;
    const failed = await collect(start(bash('setsid sleep 600 & sleep 600'), { timeoutMs: 800 })).catch(codeOf);
    expect(failed).toBe('DeadlineExceeded');
    await expect.poll(async () => (await list({})).processes, { timeout: 10_000 }).toEqual([]);
    const { commands } = (await client.app.inject('/v2/commands')).json().data;
    expect(commands).toMatchObject([{ status: 'timed_out' }]);
  });
});
