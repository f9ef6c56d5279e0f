import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

/** Publishes two outputs, then waits for the file, and publishes three more; its process is named when it has. */
const PUBLISHING = (file: string): string => `
import os, sys, time
from IPython.display import display
def say(text):
    # One write, which is one output: print writes the line feed by itself.
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()
runs = globals().get("runs", 0) + 1
say("before é")
display("first")
while not os.path.exists("${file}"): time.sleep(0.02)
say("after")
display({"image/png": "AAAA" * 50_000}, raw=True)
say("last")
def name(): open("/proc/self/comm", "w").write("done")
get_ipython().events.register("post_run_cell", lambda *_: __import__("threading").Timer(0.5, name).start())`;

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
    '[code.survives] a cell that ended meanwhile is reported whole, with its figure, and does not run again',
    async () => {
      const go = join(directory, 'go');
      const cells = { ok: `${PUBLISHING(go)}\n"value"`, error: `${PUBLISHING(go)}\n1 / 0` };
      const ids = new Map<string, string>();
      const pids: number[] = [];
      {
        await using first = await DaemonProcess.start(directory, { SVC_KERNEL_ZYGOTE: 'boot' });
        for (const [session_id, code] of Object.entries(cells)) {
          const { execution_id } = await run(first, code, { session_id, async: true });
          ids.set(session_id, execution_id);
          await first.data(`/v2/code/executions/${execution_id}?wait=true&offset=1`);
          pids.push((await first.data(`/v2/code/sessions/${session_id}`)).pid);
        }
        await first.stop('SIGKILL');
        await writeFile(go, '');
        for (const pid of pids) await expect.poll(() => commOf(pid), { timeout: 30_000 }).toBe('done');
      }
      await using second = await DaemonProcess.start(directory);
      for (const [session_id, id] of ids) {
        await second.data(`/v2/code/executions/${id}?wait=true&offset=99`);
        const { status, outputs, execution } = await second.data(`/v2/code/executions/${id}`);
        const last = { ok: { data: { 'text/plain': "'value'" } }, error: { ename: 'ZeroDivisionError' } }[session_id];
        expect([status, execution.execution_count]).toEqual([session_id, 1]);
        expect(outputs).toMatchObject([
          { text: 'before é\n' },
          { data: { 'text/plain': "'first'" } },
          { text: 'after\n' },
          { data: { 'image/png': 'AAAA'.repeat(50_000) } },
          { text: 'last\n' },
          last,
        ]);
        expect((await run(second, 'runs', { session_id })).outputs[0].data['text/plain']).toBe('1');
      }
    },
    PATIENCE_MS,
  );

  test(
    '[code.died] of a kernel that ended meanwhile the signal is reported, with what was read',
    async () => {
      let id = '';
      {
        await using first = await DaemonProcess.start(directory);
        const { execution_id } = await run(first, PUBLISHING(join(directory, 'never')), { async: true });
        id = execution_id;
        await first.data(`/v2/code/executions/${id}?wait=true&offset=1`);
        const { pid } = await first.data('/v2/code/sessions/s');
        await first.stop('SIGKILL');
        process.kill(pid, 'SIGKILL');
        await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 30_000 }).toBe(false);
      }
      await using second = await DaemonProcess.start(directory);
      const died = await second.data(`/v2/code/executions/${id}`);
      expect([died.status, died.execution.signal]).toEqual(['error', 'SIGKILL']);
      expect(died.outputs).toMatchObject([
        { text: 'before é\n' },
        { data: { 'text/plain': "'first'" } },
        { name: 'stderr', text: expect.stringContaining('left out') },
        { ename: 'InterpreterDied' },
      ]);
      expect((await second.data('/v2/code/sessions')).sessions).toEqual([]);
    },
    PATIENCE_MS,
  );

  test(
    '[code.lost] of a kernel without a record a cell that ended meanwhile is lost, with what was read',
    async () => {
      const data = join(directory, 'jupyter');
      await mkdir(join(data, 'kernels', 'mine'), { recursive: true });
      const argv = ['/usr/bin/python3', '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
      const spec = { argv, display_name: 'mine', language: 'python' };
      await writeFile(join(data, 'kernels', 'mine', 'kernel.json'), JSON.stringify(spec));
      const go = join(directory, 'go');
      let id = '';
      let ended = '';
      const more = { language: 'mine' };
      const env = { JUPYTER_PATH: data };
      {
        await using first = await DaemonProcess.start(directory, env);
        ended = (await run(first, 'print("whole")', more)).execution_id;
        id = (await run(first, PUBLISHING(go), { ...more, async: true })).execution_id;
        await first.data(`/v2/code/executions/${id}?wait=true&offset=1`);
        const { pid } = await first.data('/v2/code/sessions/s');
        await first.stop('SIGKILL');
        await writeFile(go, '');
        await expect.poll(() => commOf(pid), { timeout: 30_000 }).toBe('done');
      }
      await using second = await DaemonProcess.start(directory, env);
      await second.data(`/v2/code/executions/${id}?wait=true&offset=99`);
      const lost = await second.data(`/v2/code/executions/${id}`);
      expect(lost.status).toBe('lost');
      expect(lost.outputs).toMatchObject([
        { text: 'before é\n' },
        { data: { 'text/plain': "'first'" } },
        { name: 'stderr', text: expect.stringContaining('left out') },
      ]);
      expect((await run(second, 'runs', more)).outputs[0].data['text/plain']).toBe('1');
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
