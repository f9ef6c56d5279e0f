import process from 'node:process';
import { expect, test } from 'vitest';
import type { Client } from './calls.ts';
import { inspector } from './command-line.ts';
import { startHub } from './hub-with-fixture.ts';
import { pythonSdk } from './python-clients.ts';
import { sdkClient } from './sdk-client.ts';

const TIMEOUT = { timeout: 900_000 };
const KEY = 'the-key';
const COMMAND = 'sandbox_command';

const OFFICIAL: readonly (readonly [string, Client])[] = [
  ['the TypeScript SDK', sdkClient({})],
  ['the Python SDK', pythonSdk('auto')],
  ['the MCP Inspector', inspector],
];

test('[mcp.command] each official client starts a command, reads on, feeds it and ends it', TIMEOUT, async () => {
  await using hub = await startHub(KEY);
  for (const [name, client] of OFFICIAL) {
    const begun = performance.now();
    const use = async (tool: string, args: Readonly<Record<string, unknown>>) => {
      const { results } = await client({ url: `${hub.url}/mcp`, key: KEY }, [{ tool, args, says: '' }]);
      const [result] = results;
      expect([name, args, result?.isError, result?.text]).toEqual([name, args, false, expect.any(String)]);
      return JSON.parse(result?.text ?? '');
    };
    const cmd = 'echo ready; while read -r line; do echo "got $line"; done';
    const { command_id } = await use('sandbox_execute_bash', { cmd, timeout: 0, open_stdin: true });
    const first = await use(COMMAND, { action: 'output', command_id, timeout: 60 });
    expect([name, first]).toEqual([name, expect.objectContaining({ status: 'running', stdout: 'ready\n', offset: 6 })]);
    const fed = await use(COMMAND, { action: 'input', command_id, input: 'one\n' });
    expect([name, fed.bytes_written]).toEqual([name, 4]);
    const next = await use(COMMAND, { action: 'output', command_id, offset: first.offset, timeout: 60 });
    expect([name, next.stdout]).toEqual([name, 'got one\n']);
    expect([name, (await use(COMMAND, { action: 'kill', command_id })).signal]).toEqual([name, 'SIGTERM']);
    const end = await use(COMMAND, { action: 'wait', command_id, offset: next.offset, timeout: 60 });
    expect([name, end]).toEqual([name, expect.objectContaining({ status: 'killed', stdout: '' })]);
    process.stdout.write(`${name}: a command to its end in ${Math.round(performance.now() - begun)} ms\n`);
  }
});
