import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { expectValid } from '../../../wire.fixture.ts';

describe.runIf(has('python3'))('a Python without ipykernel', () => {
  let daemon: TestApp;
  let place: Awaited<ReturnType<typeof tempDir>>;
  const before = process.env['PATH'];
  const v2 = async (code: string, more: object = {}) =>
    (await daemon.post('/v2/code/execute', { language: 'python', code, ...more })).json().data;

  beforeAll(async () => {
    place = await tempDir();
    await chmod(place.path, 0o755);
    // Without site-packages no Python has ipykernel.
    const program = join(place.path, 'python3');
    await writeFile(program, '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n');
    await chmod(program, 0o755);
    process.env['PATH'] = place.path;
    daemon = await TestApp.start({ codeBackend: 'auto' });
  });
  afterAll(async () => {
    process.env['PATH'] = before;
    await daemon[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  test('[plain-python.routes] /v2/code runs it with state, values and errors', async () => {
    expect(await v2('x = 40', { session_id: 's' })).toMatchObject({ status: 'ok', session_id: 's', kernel_name: null });
    const next = await v2('print("out")\nx + 2', { session_id: 's' });
    expect(next).toMatchObject({ status: 'ok', language: 'python', stdout: 'out\n', exit_code: 0, warnings: [] });
    expect(next.outputs.at(-1)).toMatchObject({ output_type: 'execute_result', data: { 'text/plain': '42' } });
    expect(await v2('1 / 0')).toMatchObject({ status: 'error', outputs: [{ ename: 'ZeroDivisionError' }] });
    expect(await v2('x')).toMatchObject({ status: 'error', outputs: [{ ename: 'NameError' }] });
  });

  test('[plain-python.routes] /v1/code runs it in the layout of 1.x', async () => {
    const run = async (code: string, more: object = {}) => {
      const body = (await daemon.post('/v1/code/execute', { language: 'python', code, ...more })).json();
      expectValid('Response_CodeExecuteResponse_', body);
      return body.data;
    };
    const made = await run('y = 1', { stateful: true });
    const kept = await run('y + 1', { stateful: true, session_id: made.session_id });
    expect(kept.outputs[0].data).toEqual({ 'text/plain': '2' });
    const failed = await run('raise KeyError("k")');
    expect(failed).toMatchObject({ status: 'error', traceback: expect.arrayContaining(["KeyError: 'k'"]) });
    const info = (await daemon.inject('/v1/code/info')).json();
    expectValid('Response_CodeInfoResponse_', info);
    expect(info.data.languages.map(({ language }: { language: string }) => language)).toEqual(['python']);
  });

  test('[plain-python.routes] [status.no-ipykernel-501] /v1/jupyter answers 501', async () => {
    const refused = await daemon.post('/v1/jupyter/execute', { code: '1' });
    expect([refused.statusCode, refused.json().success]).toEqual([501, false]);
  });

  test.each(['3.2', 'python3.2', '2.7', 'x'])('[code.version] version %s gives a warning', async (version) => {
    const { warnings } = await v2('', { version });
    expect(warnings).toEqual([expect.stringMatching(/^\S+ is not installed: python3 \(3\.[\d.]+\) runs the cell$/)]);
  });

  test('[code.version] the version that runs gives no warning', async () => {
    const { languages } = (await daemon.inject('/v2/code/info')).json().data;
    const { version } = languages.find((each: { language: string }) => each.language === 'python');
    const minor = version.split('.').slice(0, 2).join('.');
    for (const asked of [version, minor, `python${minor}`, '3', 'python3']) {
      expect([asked, (await v2('', { version: asked })).warnings]).toEqual([asked, []]);
    }
  });
});
