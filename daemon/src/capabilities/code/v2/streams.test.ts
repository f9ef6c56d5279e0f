import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeKernels, PATIENCE_MS, python } from '../cells.fixture.ts';

interface Line {
  readonly type: string;
  readonly offset?: number;
  readonly execution_id?: string;
  readonly status?: string;
  readonly output?: { readonly text?: string };
}

/** The lines of a stream as they come. */
async function* lines(url: string, init: RequestInit = {}): AsyncGenerator<Line> {
  const { body } = await fetch(url, { ...init, headers: { accept: 'application/x-ndjson' } });
  let rest = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield JSON.parse(part);
  }
}

/** Prints, then waits for a file. */
const waiting = (path: string) =>
  `import os, time\nprint("a", flush=True)\nwhile not os.path.exists("${path}"): time.sleep(0.02)\nprint("b")\n7`;

describeKernels('executions', () => {
  let daemon: TestApp;
  let base: string;
  const cell = (code: string, more: object = {}) => python(daemon, code, { session_id: 's', ...more });
  const open = (path: string) => cell(`open("${path}", "w").close()`, { session_id: 'other' });

  beforeAll(async () => {
    daemon = await TestApp.start();
    base = await daemon.listen();
    await Promise.all([cell('1'), cell('1', { session_id: 'other' })]);
  }, PATIENCE_MS);
  afterAll(async () => daemon[Symbol.asyncDispose]());

  test(
    '[code.stream] outputs come as they are produced',
    async () => {
      const path = `${daemon.directory}/go-1`;
      const body = JSON.stringify({ language: 'python', code: waiting(path), session_id: 's' });
      const seen: Line[] = [];
      for await (const line of lines(`${base}/v2/code/execute`, { method: 'POST', body })) {
        seen.push(line);
        if (line.output?.text === 'a\n') await open(path);
      }
      expect(seen.map(({ type }) => type)).toEqual(['execution', 'output', 'output', 'output', 'result']);
      expect(seen[0]?.execution_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(seen.slice(1, 4).map(({ offset }) => offset)).toEqual([0, 1, 2]);
      expect(seen[4]).toMatchObject({ status: 'ok', execution_id: seen[0]?.execution_id, stdout: 'a\nb\n', offset: 3 });
    },
    PATIENCE_MS,
  );

  test(
    '[code.async] [code.read] an execution answers at once, and is read while it runs',
    async () => {
      const path = `${daemon.directory}/go-2`;
      const { execution_id, status } = await cell(waiting(path), { async: true });
      expect(status).toBe('running');
      const read = async (query: string) =>
        (await daemon.inject(`/v2/code/executions/${execution_id}?${query}`)).json().data;
      const first = await read('wait=true');
      expect(first).toMatchObject({ outputs: [{ text: 'a\n' }], offset: 1, first_offset: 0, status: 'running' });
      const next = read('wait=true&offset=1');
      await open(path);
      expect(await next).toMatchObject({
        outputs: expect.arrayContaining([{ output_type: 'stream', name: 'stdout', text: 'b\n' }]),
      });
      await read('wait=true&offset=99');
      expect(await read('')).toMatchObject({ offset: 3, status: 'ok', execution: { execution_id, status: 'ok' } });
      expect(await read('offset=2')).toMatchObject({ outputs: [{ output_type: 'execute_result' }], offset: 3 });
      expect((await read('offset=1&limit=1')).outputs).toHaveLength(1);
    },
    PATIENCE_MS,
  );

  test(
    '[code.cut] a client that goes away loses nothing',
    async () => {
      const path = `${daemon.directory}/go-3`;
      const body = JSON.stringify({ language: 'python', code: waiting(path), session_id: 's' });
      const stop = new AbortController();
      let id = '';
      for await (const line of lines(`${base}/v2/code/execute`, { method: 'POST', body, signal: stop.signal })) {
        id ||= line.execution_id ?? '';
        if (line.type === 'output') break;
      }
      stop.abort();
      await open(path);
      const rest: Line[] = [];
      for await (const line of lines(`${base}/v2/code/executions/${id}?offset=1`)) rest.push(line);
      expect(rest.map(({ type, offset }) => [type, offset])).toEqual([
        ['execution', undefined],
        ['output', 1],
        ['output', 2],
        ['result', 3],
      ]);
    },
    PATIENCE_MS,
  );
});
