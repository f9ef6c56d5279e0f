import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { McpCaller, test } from './mcp.fixture.ts';

/** A command that says that it began, and runs until the file `go` exists. */
function waitingCall(id: number, dir: string): object {
  const cmd = `touch ${dir}/${id}; until [ -e ${dir}/go ]; do sleep 0.05; done`;
  const params = { name: 'sandbox_execute_bash', arguments: { cmd } };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

test('[mcp.batch-left] the calls of a batch whose client has left are not begun', async ({ dir }) => {
  await using mcp = await McpCaller.start();
  const base = await mcp.daemon.listen();
  const begun = (): string[] => readdirSync(dir).filter((name) => name !== 'go');
  const hasRunning = async (): Promise<boolean> => (await mcp.daemon.inject('/v2/commands')).body.includes('"running"');
  const post = request(`${base}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json' } });
  post.on('error', () => undefined);
  post.end(JSON.stringify(Array.from({ length: 40 }, (_, id) => waitingCall(id, dir))));
  await expect.poll(() => begun().length).toBe(8);
  post.destroy();
  await expect.poll(async () => (await mcp.daemon.inject('/metrics')).body).toContain('http_open_connections 0');
  await mcp.daemon.run(`touch ${join(dir, 'go')}`);
  await expect.poll(hasRunning).toBe(false);
  expect(begun()).toHaveLength(8);
});
