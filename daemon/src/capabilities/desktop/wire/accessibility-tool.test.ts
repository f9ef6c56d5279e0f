import { expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { McpCaller } from '../../../mcp/mcp.fixture.ts';
import { WorkerProcess } from '../worker-process.fixture.ts';

const TOOL = 'sandbox_accessibility';
const CALLS = [
  { action: 'tree' },
  { action: 'find', role: 'push button' },
  { action: 'focus', node_id: 'n' },
  { action: 'invoke', node_id: 'n', node_action: 'press' },
  { action: 'set_value', node_id: 'n', value: 3 },
];

test('[mcp.accessibility] without a display each action says so and names the next step', async () => {
  await using mcp = await McpCaller.start({ SVC_COMPUTER_USE_URL: 'http://127.0.0.1:9' });
  for (const args of CALLS) {
    const { isError, content } = await mcp.call(TOOL, args);
    expect([args, isError, content[0].text]).toEqual([
      args,
      true,
      expect.stringMatching(/worker.*\nHint: use the desktop image/),
    ]);
  }
  for (const [args, says] of [
    [{ action: 'focus' }, 'node_id is required'],
    [{ action: 'set_value', node_id: 'n' }, 'value'],
    [{ action: 'tree', max_nodes: 0 }, 'max_nodes'],
    [{ action: 'tree', scope: 'all' }, 'scope'],
  ] as const) {
    const { isError, content } = await mcp.call(TOOL, args);
    expect([args, isError, content[0].text]).toEqual([args, true, expect.stringContaining(says)]);
  }
});

test.runIf(has('X server'))('[mcp.accessibility] what the worker refuses is the answer', async () => {
  await using worker = await WorkerProcess.start();
  await using mcp = await McpCaller.start({ SVC_COMPUTER_USE_URL: worker.url });
  for (const args of CALLS) {
    const { content } = await mcp.call(TOOL, args);
    expect([args, content[0].text]).toEqual([args, expect.not.stringContaining('worker is not available')]);
  }
});
