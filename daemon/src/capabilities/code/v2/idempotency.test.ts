import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';

test('[code.idempotency] a key returns its execution, at once, afterwards, and after a daemon that was killed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'code-key-'));
  const marks = join(directory, 'marks');
  const cell = { language: 'bash', code: `echo x >> ${marks}; echo ran`, idempotency_key: 'k' };
  const execute = async (daemon: DaemonProcess, body: object) => {
    const answer = await fetch(`${daemon.base}/v2/code/execute`, { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, ...((await answer.json()) as { data: { execution_id: string; stdout: string } }) };
  };
  {
    await using daemon = await DaemonProcess.start(directory);
    const [one, other] = await Promise.all([execute(daemon, cell), execute(daemon, cell)]);
    expect(one).toMatchObject({ status: 200, data: { stdout: 'ran\n' } });
    expect(other.data.execution_id).toBe(one.data.execution_id);
    expect((await execute(daemon, { ...cell, async: true })).data.execution_id).toBe(one.data.execution_id);
    expect((await execute(daemon, { ...cell, code: 'true' })).status).toBe(409);
    await daemon.stop('SIGKILL');
  }
  await using daemon = await DaemonProcess.start(directory);
  expect(await execute(daemon, cell)).toMatchObject({ status: 200, data: { stdout: 'ran\n' } });
  expect(await readFile(marks, 'utf8')).toBe('x\n');
  await daemon.stop('SIGTERM');
  await rm(directory, { recursive: true });
});
