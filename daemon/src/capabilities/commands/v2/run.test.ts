import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { alternate } from '../output.fixture.ts';

const USAGE = {
  cpu_user_ms: expect.any(Number),
  cpu_system_ms: expect.any(Number),
  max_rss_bytes: expect.any(Number),
  oom_killed: expect.toSatisfy((value) => [true, false, null].includes(value)),
  oom_process: null,
};

describeOnHosts('a command', ({ usage }) => {
  test('[cmd.sync] [status.nonzero-exit-is-200] [cmd.status-completed] it runs, and its exit code is data', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'echo out; echo err >&2; exit 3' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ success: true, message: 'the command completed with exit code 3' });
    expect(answer.json().data).toMatchObject({
      status: 'completed',
      exit_code: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  test('[cmd.data-fields] the data is flat and whole', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('echo hi');
    expect(data).toEqual({
      command_id: expect.any(String),
      session_id: null,
      command: 'echo hi',
      status: 'completed',
      exit_code: 0,
      signal: null,
      pid: expect.any(Number),
      stdout: 'hi\n',
      stderr: '',
      output: 'hi\n',
      offset: 3,
      stderr_offset: 0,
      truncated: false,
      background: false,
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ended_by: null,
      ended_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      stdin_bytes: 0,
      stdin_dropped: 0,
      key: null,
      usage: usage ? USAGE : null,
    });
  });

  test('[cmd.output-order] [cmd.offsets] output has both streams in the order of arrival', async () => {
    await using daemon = await TestApp.start();
    const data = await alternate(daemon, 3);
    expect(data.output).toBe('o1\ne1\no2\ne2\no3\ne3\n');
    expect([data.offset, data.stderr_offset]).toEqual([9, 9]);
  });

  test('[cmd.own-session] it leads a session and a group of its own', async () => {
    await using daemon = await TestApp.start();
    const { pid, stdout } = await daemon.run('ps -o sid=,pgid= -p $$');
    expect(stdout.trim().split(/\s+/).map(Number)).toEqual([pid, pid]);
  });

  test('[cmd.no-leak] cd and export stay inside', async () => {
    await using daemon = await TestApp.start();
    await daemon.post('/v2/commands/sessions', { id: 's', cwd: '/' });
    await daemon.run('cd /tmp; export LEAK=1', { session: 's' });
    expect((await daemon.run('pwd; echo "[$LEAK]"', { session: 's' })).stdout).toBe('/\n[]\n');
  });

  test('[cmd.stdin-null] stdin is /dev/null', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.run('cat; readlink /proc/self/fd/0')).stdout).toBe('/dev/null\n');
  });

  test('[cmd.stdin] stdin is written and closed', async () => {
    await using daemon = await TestApp.start();
    const text = 'ä'.repeat(300_000);
    const data = await daemon.run('wc -c; echo done', { stdin: text });
    expect(data.stdout).toBe('600000\ndone\n');
    expect((await daemon.run('wc -c', { stdin: '' })).stdout).toBe('0\n');
  });

  test('a command that does not read its stdin ends normally', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.run('exit 4', { stdin: 'x'.repeat(1_000_000) })).exit_code).toBe(4);
  });

  test('/dev/stdout and /dev/stderr can be opened again', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('echo a > /dev/stdout; echo b > /dev/stderr; echo c');
    expect([data.stdout, data.stderr]).toEqual(['a\nc\n', 'b\n']);
  });
});
