import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { startServer, untilHealthy } from '../../images/observe.ts';
import { Sandbox } from '../../images/sandbox.ts';
import { Services } from '../../services.ts';

const FIXTURE = join(import.meta.dirname, 'fixture-server.mjs');
/** Port of the other server in the container. */
const PORT = 9000;

/** Gateway and daemon, whose hub publishes the tools of another server. */
export interface HubWithFixture extends AsyncDisposable {
  /** Address of the gateway. */
  readonly url: string;
  /** A directory of the account of commands. */
  readonly directory: string;
  readonly hasBrowser: boolean;
}

/** On this machine; with `CLIENTS_IN=image` in a container of the image, which has a browser. */
export async function startHub(key: string): Promise<HubWithFixture> {
  const env = key === '' ? {} : { SVC_API_KEY: key };
  const hub = process.env['CLIENTS_IN'] === 'image' ? await inImage(env) : await onHost(env);
  await expect.poll(() => published(hub.url, key)).toContain('fixture_add');
  if (hub.hasBrowser) await expect.poll(() => published(hub.url, key)).toContain('browser_snapshot');
  return hub;
}

/** Names without a prefix of their own: those that begin with the names of these servers. */
function servers(port: number): Record<string, string> {
  const url = `http://127.0.0.1:${port}/mcp`;
  return { EXTRA_MCP_SERVERS: JSON.stringify({ fixture: { url }, test: { url }, json: { url } }) };
}

async function onHost(env: Record<string, string>): Promise<HubWithFixture> {
  const port = await freePort();
  const fixture = spawn(process.execPath, [FIXTURE, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(fixture.stdout, 'data');
  const directory = await mkdtemp(join(tmpdir(), 'mcp-clients-'));
  const services = await Services.start({ ...env, ...servers(port) });
  const end = async (): Promise<void> => {
    await services[Symbol.asyncDispose]();
    await stop(fixture);
    await rm(directory, { recursive: true });
  };
  return { url: services.url, directory, hasBrowser: false, [Symbol.asyncDispose]: end };
}

async function inImage(env: Record<string, string>): Promise<HubWithFixture> {
  const sandbox = await Sandbox.start({ env: { ...env, ...servers(PORT) } });
  const target = '/tmp/fixture-server.mjs';
  await sandbox.container.copyContentToContainer([{ content: await readFile(FIXTURE), target, mode: 0o644 }]);
  await startServer(sandbox, `exec node ${target} ${PORT}`, 'serving tools');
  await untilHealthy(sandbox);
  const end = () => sandbox[Symbol.asyncDispose]();
  return { url: sandbox.url, directory: '/home/sandbox', hasBrowser: true, [Symbol.asyncDispose]: end };
}

async function published(url: string, key: string): Promise<string> {
  const headers: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return await (await fetch(`${url}/mcp`, { method: 'POST', headers, body })).text();
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
