import { expect, test } from 'vitest';
import { NO_BROWSER, NO_KERNELS, sharedSandbox } from './sandbox.ts';

/** What `docker run --memory 512m` sets. */
const MEMORY_GIB = 0.5;
/** tail keeps all of a line in memory until its input ends; the shell goes on when it is killed. */
const HOG = 'head -c 2000000000 /dev/zero | tail | wc -c';
const NOTE = 'a process was killed by the memory limit (tail)';
const TOLD = { oom_killed: true, oom_process: 'tail' };

const sandbox = sharedSandbox({
  env: { ...NO_BROWSER, ...NO_KERNELS },
  with: (container) => container.withResourcesQuota({ memory: MEMORY_GIB }),
});

/** The fields of answers that the test reads. */
interface Answer {
  readonly message: string;
  readonly data: object;
  readonly result: { readonly content: readonly [{ readonly text: string }] };
}

async function post(path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return (
    await sandbox().fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  ).json() as Promise<Answer>;
}

test('[end.memory-child] [images.code] a container of 512 MB names the program that its limit killed, wherever it ran', {
  timeout: 300_000,
}, async () => {
  const command = await post('/v2/commands', { command: `${HOG}; exit 3`, timeout: 60 });
  expect(command).toMatchObject({ message: expect.stringContaining(NOTE), data: { exit_code: 3, usage: TOLD } });
  await post('/v2/pty/sessions', { id: 'limited' });
  const exec = await post('/v2/pty/sessions/limited/exec', { command: `${HOG}; (exit 4)` });
  expect(exec).toMatchObject({ message: expect.stringContaining(NOTE), data: { exit_code: 4, ...TOLD } });
  const script = JSON.stringify(HOG);
  for (const [language, code] of [
    ['bash', HOG],
    ['python', `import subprocess\nsubprocess.run(${script}, shell=True)`],
  ]) {
    const cell = await post('/v2/code/execute', { language, code, timeout: 60 });
    expect(cell.data).toMatchObject({ language, status: 'ok', ...TOLD, warnings: [NOTE] });
  }
  expect((await post('/v1/shell/exec', { command: HOG })).message).toContain(NOTE);
  expect((await post('/v1/bash/exec', { command: HOG, timeout: 60 })).message).toContain(NOTE);
  const params = { name: 'sandbox_execute_bash', arguments: { cmd: HOG, timeout: 60 } };
  const tool = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(tool.result.content[0].text).toContain(`[${NOTE}]`);
});

test('[metrics.sandbox] the metrics have the limit and the kills of the container, and the build', async () => {
  await sandbox().run(HOG, { timeout: 60 });
  const metrics = await (await sandbox().fetch('/metrics')).text();
  expect(metrics).toContain(`\nsandbox_memory_limit_bytes ${MEMORY_GIB * 1024 ** 3}\n`);
  expect(metrics).toMatch(/\nsandbox_memory_used_bytes [1-9]\d{7,8}\n/);
  expect(metrics).toMatch(/\nsandbox_oom_kills_total [1-9]\d*\n/);
  expect(metrics).toMatch(/\nsandbox_build_info\{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"\} 1\n/);
});
