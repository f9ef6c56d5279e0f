import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/root.ts';
import type { Address, Call, Client, Session } from './calls.ts';
import { seenIn } from './sdk-client.ts';

const run = promisify(execFile);
const PATIENCE_MS = 200_000;
const BYTES = 64 * 1024 ** 2;

/** A package of the registry, installed once; resolves with the path of a file in it. */
export async function installedFile(name: string, version: string, file: string): Promise<string> {
  const directory = join(ROOT, `dist/clients/${name.replaceAll('/', '-')}-${version}`);
  const path = join(directory, 'node_modules', name, file);
  if (existsSync(path)) return path;
  await mkdir(directory, { recursive: true });
  const args = ['install', '--prefix', directory, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  await run('npm', [...args, `${name}@${version}`]);
  return path;
}

/** A client that asks by a program of its own for each request. */
function byProgram(ask: (address: Address, method: string, params: Partial<Call>) => Promise<unknown>): Client {
  return async (address, calls) => {
    const { tools } = (await ask(address, 'tools/list', {})) as { tools: { name: string }[] };
    const results: Session['results'][number][] = [];
    for (const call of calls) {
      results.push(seenIn((await ask(address, 'tools/call', call)) as Parameters<typeof seenIn>[0]));
    }
    return { names: tools.map(({ name }) => name), results };
  };
}

/** curl as a person uses it: no handshake, no session, no `Accept`. */
export const curl: Client = byProgram(async ({ url, key }, method, { tool, args }) => {
  const params = tool === undefined ? {} : { name: tool, arguments: args };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const credential = key === '' ? [] : ['-H', `Authorization: Bearer ${key}`];
  const { stdout } = await run('curl', ['-sS', '-m', '150', url, ...credential, '-d', message], { maxBuffer: BYTES });
  return JSON.parse(stdout).result;
});

/** The command line of the MCP Inspector, a process for each request. */
export const inspector: Client = byProgram(async ({ url, key }, method, { tool, args = {} }) => {
  const file = 'clients/launcher/build/index.js';
  const program = await installedFile('@modelcontextprotocol/inspector', '2.12.0', file);
  const credential = key === '' ? [] : ['--header', `Authorization: Bearer ${key}`];
  const pairs = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${wordOf(value)}`]);
  const called = tool === undefined ? ['--strict'] : ['--tool-name', tool, ...pairs];
  const patience = ['--connect-timeout', String(PATIENCE_MS)];
  const options = ['--cli', url, '--transport', 'http', ...patience, ...credential, '--method', method, ...called];
  const given = { timeout: PATIENCE_MS, maxBuffer: BYTES, env: { ...process.env, CI: 'true' } };
  const ended = await run(process.execPath, [program, ...options], given).catch((error) => error);
  if (!ended.stdout.startsWith('{')) throw new Error(`the inspector says ${ended.stdout}${ended.stderr}`);
  return JSON.parse(ended.stdout);
});

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
