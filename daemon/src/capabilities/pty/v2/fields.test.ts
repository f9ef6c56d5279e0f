import { expect, test } from 'vitest';
import { findTool } from '../../../core/tool-path.ts';
import { afterSilence, BARE, create, exec, screen, started, TestViewer } from '../pty.fixture.ts';

test('[pty.input] input types its text, followed by Enter with press_enter', async () => {
  await using service = await started();
  const { daemon } = service;
  await create(daemon, 'a');
  await screen(daemon, 'a', (output) => output.startsWith('$'));
  const typed = async (body: object) => (await daemon.post('/v2/pty/sessions/a/input', body)).statusCode;
  expect(await typed({ input: 'echo one""two' })).toBe(200);
  await screen(daemon, 'a', (output) => output.trimEnd().endsWith('echo one""two'));
  expect(await typed({ input: '; echo three""four', press_enter: true })).toBe(200);
  await screen(daemon, 'a', (output) => output.includes('onetwo\nthreefour\n'));
  expect([await typed({}), await typed({ input: 5 })]).toEqual([422, 422]);
});

test('[pty.environment] env is set in the shell, and of the product only SVC_COMMAND_ID', async () => {
  await using service = await started();
  const { daemon } = service;
  await create(daemon, 'a', { ...BARE, env: { ...BARE.env, COLOUR: 'blå', TERM: 'vt100' } });
  const { output } = await exec(daemon, 'a', 'echo "$COLOUR $TERM $SVC_COMMAND_ID [$SVC_RUNTIME_DIR]"');
  expect(output).toMatch(/^blå vt100 pty-\S+ \[\]\n$/);
});

test('[pty.no-change-default] PATCH sets the no_change_timeout of calls without one', async () => {
  await using service = await started();
  const { daemon } = service;
  const silent = await afterSilence('begun\n', async (id, no_change_timeout) => {
    await create(daemon, id);
    const patched = await daemon.inject({
      method: 'PATCH',
      url: `/v2/pty/sessions/${id}`,
      payload: { no_change_timeout },
    });
    expect(patched.statusCode).toBe(200);
    return exec(daemon, id, 'echo begun; read x');
  });
  expect(silent).toMatchObject({ status: 'no_change_timeout', output: 'begun\n' });
});

test('[pty.ws-durable] durable with an id attaches to that session, which survives the socket', async () => {
  await using service = await started();
  const { daemon, ws } = service;
  await create(daemon, 'a');
  await exec(daemon, 'a', 'A=kept');
  for (const url of [`${ws}/v2/pty/sessions/a/ws?durable=true`, `${ws}/v2/pty/ws?durable=true&session_id=a`]) {
    await using viewer = new TestViewer(url);
    expect(await viewer.message('ready')).toMatchObject({ session_id: 'a' });
  }
  expect(await exec(daemon, 'a', 'echo $A')).toMatchObject({ output: 'kept\n' });
});

test('[config.shell-backend-auto] auto is tmux where tmux is on PATH', async () => {
  await using service = await started({ shellBackend: 'auto' });
  const { daemon, ws } = service;
  await create(daemon, 'a');
  await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws`);
  const backend = findTool('tmux') === undefined ? 'native' : 'tmux';
  expect(await viewer.message('ready')).toMatchObject({ backend });
});
