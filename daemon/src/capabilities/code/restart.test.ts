import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';
import { PATIENCE_MS } from './cells.fixture.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandboxd-code-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const run = (daemon: DaemonProcess, code: string, more: object = {}) =>
  daemon.data('/v2/code/execute', { language: 'python', code, session_id: 's', timeout: 100, ...more });

describe.runIf(hasKeeper && has('ipykernel'))('a daemon that was killed', () => {
  test(
    '[code.survives] sessions, their state and the cell that runs',
    async () => {
      const go = join(tmpdir(), `go-${process.pid}-${Date.now()}`);
      let id = '';
      let pid = 0;
      {
        await using first = await DaemonProcess.start(directory);
        await run(first, 'x = 5', { session_id: 'idle' });
        pid = (await first.data('/v2/code/sessions/idle')).pid;
        const code = `import os, time\nruns = globals().get("runs", 0) + 1\nprint("before", flush=True)\nwhile not os.path.exists("${go}"): time.sleep(0.05)\nprint("after")\n"value"`;
        id = (await run(first, code, { async: true })).execution_id;
        await first.data(`/v2/code/executions/${id}?wait=true`);
        await first.stop('SIGKILL');
      }
      await using second = await DaemonProcess.start(directory);
      expect((await second.data('/v2/code/sessions/idle')).pid).toBe(pid);
      expect((await run(second, 'x', { session_id: 'idle' })).outputs[0].data['text/plain']).toBe('5');
      expect(await second.data(`/v2/code/executions/${id}`)).toMatchObject({
        status: 'running',
        outputs: [{ text: 'before\n' }],
      });
      await writeFile(go, '');
      await second.data(`/v2/code/executions/${id}?wait=true&offset=99&wait_timeout=60`);
      const ended = await second.data(`/v2/code/executions/${id}`);
      expect(ended.status).toBe('ok');
      expect(ended.outputs.map(({ text, data }: { text?: string; data?: object }) => text ?? data)).toEqual([
        'before\n',
        'after\n',
        { 'text/plain': "'value'" },
      ]);
      expect((await run(second, 'runs')).outputs[0].data['text/plain']).toBe('1');
      await rm(go);
    },
    PATIENCE_MS,
  );

  test(
    '[code.lost] a cell that ended unobserved is lost, with what was read, and does not run again',
    async () => {
      let id = '';
      let ended = '';
      {
        await using first = await DaemonProcess.start(directory);
        ended = (await run(first, 'print("whole")')).execution_id;
        const code =
          'import time\nruns = globals().get("runs", 0) + 1\nprint("before", flush=True)\ntime.sleep(0.3)\nopen("/proc/self/comm", "w").write("done")';
        id = (await run(first, code, { async: true })).execution_id;
        await first.data(`/v2/code/executions/${id}?wait=true`);
        const { pid } = await first.data('/v2/code/sessions/s');
        await first.stop('SIGKILL');
        await expect.poll(() => commOf(pid)).toBe('done');
      }
      await using second = await DaemonProcess.start(directory);
      await second.data(`/v2/code/executions/${id}?wait=true&offset=99`);
      const lost = await second.data(`/v2/code/executions/${id}`);
      expect(lost.status).toBe('lost');
      expect(lost.outputs).toMatchObject([{ text: 'before\n' }]);
      expect((await run(second, 'runs')).outputs[0].data['text/plain']).toBe('1');
      expect(await second.data(`/v2/code/executions/${ended}`)).toMatchObject({
        status: 'ok',
        outputs: [{ text: 'whole\n' }],
      });
    },
    PATIENCE_MS,
  );
});

async function commOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8')).trim();
}
