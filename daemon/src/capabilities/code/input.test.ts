import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { TestApp } from '../../app.fixture.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';
import { McpCaller } from '../../mcp/mcp.fixture.ts';
import { errorOf, PATIENCE_MS, python, resultOf } from './cells.fixture.ts';
import { IPYKERNEL, withKernels } from './kernel-specs.fixture.ts';

const BOTH_WAYS = /stdin of POST \/v2\/code\/execute.*POST \/v2\/code\/executions\/\{execution_id\}\/input/;
const CELL = 'from getpass import getpass\nname = input("name? ")\nsecret = getpass("secret? ")\n(name, secret)';

const stateOf = async (daemon: TestApp, id: string) => (await daemon.inject(`/v2/code/executions/${id}`)).json().data;
const answer = (daemon: TestApp, id: string, text: string) => daemon.post(`/v2/code/executions/${id}/input`, { text });

/** Waits until a prompt waits; answers it. */
async function promptOf(daemon: TestApp, id: string): Promise<unknown> {
  const waiting = async () => (await stateOf(daemon, id)).execution.waiting_for_input;
  await expect.poll(waiting, { timeout: 30_000 }).not.toBe(null);
  return await waiting();
}

describe.runIf(has('ipykernel'))('input of kernels', { timeout: PATIENCE_MS }, () => {
  inputTests();

  test('[code.input-none] [code.input-ahead] kernels of a kernelspec too', async () => {
    await withKernels({ spec: IPYKERNEL }, async (daemon) => {
      const cell = { language: 'spec', code: 'input("x? ")' };
      const { data } = (await daemon.post('/v2/code/execute', cell)).json();
      expect([data.status, data.outputs.at(-1).evalue]).toEqual(['error', expect.stringMatching(BOTH_WAYS)]);
      expect(data.outputs.at(-1).traceback.join('\n')).toMatch(BOTH_WAYS);
      const answered = (await daemon.post('/v2/code/execute', { ...cell, stdin: ['Ada'] })).json().data;
      expect(resultOf(answered)).toBe("'Ada'");
    });
  });

  test('[code.input-none] /v1/jupyter too, also with stdin, which is no field of 1.x', async () => {
    await using daemon = await TestApp.start();
    for (const more of [{}, { session_id: 's' }, { stdin: ['x'] }]) {
      const { data } = (await daemon.post('/v1/jupyter/execute', { code: 'input()', ...more })).json();
      expect([data.status, data.outputs.at(-1).evalue]).toEqual(['error', expect.stringMatching(BOTH_WAYS)]);
    }
  });
});

describe.runIf(has('python3'))('input of Python without ipykernel', { timeout: PATIENCE_MS }, () => {
  const before = process.env['PATH'];
  let place = '';
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'plain-'));
    await chmod(place, 0o755);
    await writeFile(join(place, 'python3'), '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n', { mode: 0o755 });
    process.env['PATH'] = place;
  });
  afterAll(async () => {
    process.env['PATH'] = before;
    await rm(place, { recursive: true });
  });
  inputTests();
});

test('[code.input-ahead] stdin of other languages is named as not used; /v1/nodejs ignores it', async () => {
  await using daemon = await TestApp.start();
  const script = await daemon.post('/v2/code/execute', { language: 'bash', code: 'true', stdin: ['x'] });
  expect(script.json().data.warnings[0]).toContain('stdin');
  const v1 = await daemon.post('/v1/nodejs/execute', { code: '1', stdin: ['x'] });
  expect(v1.json().data).toMatchObject({ status: 'ok' });
});

function inputTests(): void {
  test('[code.input-answered] a prompt is reported, takes one answer, and a second one is 409', async () => {
    await using daemon = await TestApp.start();
    const { execution_id: id } = await python(daemon, CELL, { session_id: 's', async: true });
    expect(await promptOf(daemon, id)).toEqual({ prompt: 'name? ', password: false });
    const [first, second] = await Promise.all([answer(daemon, id, 'Ada'), answer(daemon, id, 'Eve')]);
    expect([first.statusCode, second.statusCode]).toEqual([200, 409]);
    expect(second.json().message).toContain('does not wait for input');
    expect(await promptOf(daemon, id)).toEqual({ prompt: 'secret? ', password: true });
    expect((await answer(daemon, id, 'é"\\\n')).statusCode).toBe(200);
    await daemon.inject(`/v2/code/executions/${id}?wait=true&offset=99`);
    const ended = await stateOf(daemon, id);
    expect(ended).toMatchObject({ status: 'ok', execution: { waiting_for_input: null } });
    expect(resultOf(ended)).toBe(`('Ada', 'é"\\\\\\n')`);
    expect(ended.outputs.map(({ text }: { text?: string }) => text ?? '').join('')).toBe('name? Ada\nsecret? \n');
    expect((await answer(daemon, id, 'late')).statusCode).toBe(409);
    expect((await answer(daemon, 'unknown', 'x')).statusCode).toBe(404);
    expect((await daemon.post(`/v2/code/executions/${id}/input`, {})).statusCode).toBe(422);
  });

  test('[code.input-answered] an interrupt and a timeout end the wait, and the session lives', async () => {
    await using daemon = await TestApp.start();
    const { execution_id: id } = await python(daemon, 'kept = 1\ninput()', { session_id: 's', async: true });
    expect(await promptOf(daemon, id)).toEqual({ prompt: '', password: false });
    await daemon.post(`/v2/code/executions/${id}/interrupt`);
    await daemon.inject(`/v2/code/executions/${id}?wait=true&offset=99`);
    expect(errorOf(await stateOf(daemon, id))).toBe('KeyboardInterrupt');
    const late = await python(daemon, 'input()', { session_id: 's', async: true, timeout: 1 });
    await expect
      .poll(async () => (await stateOf(daemon, late.execution_id)).status, { timeout: 20_000 })
      .toBe('timeout');
    expect((await answer(daemon, late.execution_id, 'late')).statusCode).toBe(409);
    // An answer to a prompt that has gone answers no later one.
    const next = await python(daemon, '(kept, input("again? "))', { session_id: 's', stdin: ['now'] });
    expect(resultOf(next)).toBe("(1, 'now')");
  });

  test('[code.input-answered] a stream has a line for each prompt', async () => {
    await using daemon = await TestApp.start();
    const url = await daemon.listen();
    const response = await fetch(`${url}/v2/code/execute`, {
      method: 'POST',
      headers: { accept: 'application/x-ndjson', 'content-type': 'application/json' },
      body: JSON.stringify({ language: 'python', code: 'input("one? ") + input("two? ")' }),
    });
    const lines: { type: string; execution_id?: string; prompt?: string; status?: string }[] = [];
    let text = '';
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString();
      for (; text.includes('\n'); text = text.slice(text.indexOf('\n') + 1)) {
        const line = JSON.parse(text.slice(0, text.indexOf('\n')));
        lines.push(line);
        if (line.type === 'input_request') {
          await daemon.post(`/v2/code/executions/${lines[0]?.execution_id}/input`, { text: line.prompt[0] });
        }
      }
    }
    expect(lines.filter(({ type }) => type === 'input_request').map(({ prompt }) => prompt)).toEqual([
      'one? ',
      'two? ',
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'ok' });
  });

  test('[code.input-ahead] stdin answers in order; a prompt beyond it raises, or waits if a caller can answer', async () => {
    await using daemon = await TestApp.start();
    expect(resultOf(await python(daemon, CELL, { stdin: ['Ada', 'x'] }))).toBe("('Ada', 'x')");
    const short = await python(daemon, CELL, { stdin: ['Ada'] });
    expect(errorOf(short)).toBe('EOFError');
    expect(short.outputs.at(-1)?.evalue).toMatch(BOTH_WAYS);
    const { execution_id: id } = await python(daemon, CELL, { stdin: ['Ada'], async: true });
    expect(await promptOf(daemon, id)).toEqual({ prompt: 'secret? ', password: true });
    await answer(daemon, id, 'y');
    await expect.poll(async () => resultOf(await stateOf(daemon, id)), { timeout: 20_000 }).toBe("('Ada', 'y')");
    const many = 'ok = [input() for _ in range(1000)] == [str(i) for i in range(1000)]\nok';
    expect(resultOf(await python(daemon, many, { stdin: Array.from({ length: 1000 }, (_, i) => `${i}`) }))).toBe(
      'True',
    );
    const tooMany = { language: 'python', code: '1', stdin: Array.from({ length: 1001 }, () => '') };
    expect((await daemon.post('/v2/code/execute', tooMany)).statusCode).toBe(422);
  });

  test('[code.input-none] without an answer input raises and names both ways, in v2, v1 and MCP', async () => {
    await using daemon = await TestApp.start();
    for (const code of ['input("x")', 'from getpass import getpass\ngetpass()']) {
      const cell = await python(daemon, code);
      expect(cell).toMatchObject({ status: 'error' });
      expect(cell.outputs.at(-1)?.evalue).toMatch(BOTH_WAYS);
    }
    // stdin is no field of 1.x.
    for (const more of [{}, { session_id: 's' }, { stdin: ['x'] }]) {
      const v1 = (await daemon.post('/v1/code/execute', { language: 'python', code: 'input()', ...more })).json().data;
      expect(v1.outputs.at(-1).evalue).toMatch(BOTH_WAYS);
    }
    await using mcp = await McpCaller.start();
    const { content, isError } = await mcp.call('sandbox_execute_code', { code: 'input()' });
    expect([isError, content[0].text]).toEqual([true, expect.stringMatching(BOTH_WAYS)]);
  });

  test.runIf(hasKeeper)(
    '[code.input-restart] a prompt that waits is answered after a restart, each answer is used once',
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'sandboxd-input-'));
      let id = '';
      {
        await using first = await DaemonProcess.start(directory);
        const code = '[input(f"{i}? ") for i in range(3)]';
        const cell = { language: 'python', code, session_id: 's', stdin: ['a'], async: true, timeout: 100 };
        id = (await first.data('/v2/code/execute', cell)).execution_id;
        const waiting = async () => (await first.data(`/v2/code/executions/${id}`)).execution.waiting_for_input?.prompt;
        await expect.poll(waiting, { timeout: 30_000 }).toBe('1? ');
        await first.stop('SIGKILL');
      }
      await using second = await DaemonProcess.start(directory);
      const state = () => second.data(`/v2/code/executions/${id}`);
      for (const [prompt, text] of [
        ['1? ', 'b'],
        ['2? ', 'c'],
      ]) {
        await expect
          .poll(async () => (await state()).execution.waiting_for_input?.prompt, { timeout: 30_000 })
          .toBe(prompt);
        await second.data(`/v2/code/executions/${id}/input`, { text });
      }
      await expect.poll(async () => resultOf(await state()), { timeout: 30_000 }).toBe("['a', 'b', 'c']");
      const outputs: { text?: string }[] = (await state()).outputs;
      expect(outputs.map(({ text = '' }) => text).join('')).toBe('0? a\n1? b\n2? c\n');
      await rm(directory, { recursive: true, force: true });
    },
  );
}
