import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { snippetsFor } from '../../gateway/pages/app/overview/snippets.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';
import { runTypeScript } from '../typescript-snippet.ts';

const KEY = 'open-sesame-7';

interface Place {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs a program in the place. @returns what it prints */
async function run(program: string, args: readonly string[], { directory, env }: Place): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd: directory, env })).stdout;
}

/** Runs a snippet as its reader does. @returns what it prints */
const WAYS: Readonly<Record<string, (text: string, place: Place) => Promise<string>>> = {
  curl: (text, place) => run('bash', ['-euc', text], place),
  Python: (text, place) => run('python3', ['-c', text], place),
  TypeScript: (text, { directory, env }) => runTypeScript(text, directory, env),
  MCP: async (text, { env }) => {
    const replaced = text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? '');
    const { url, headers } = JSON.parse(replaced).mcpServers.sandbox;
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const call = { name: 'sandbox_execute_bash', arguments: { cmd: 'echo hello; uname -s' } };
    const result = await client.callTool(call);
    await client.close();
    return JSON.stringify(result.content);
  },
};

test.each(['with a key', 'without a key'])('[app.snippets] each snippet works at a service %s', async (what) => {
  const key = what === 'with a key' ? KEY : '';
  await using directory = await tempDir();
  await using services = await Services.start(key === '' ? {} : { SVC_API_KEY: key });
  const env = { PATH: process.env['PATH'], HOME: directory.path, SANDBOX_API_KEY: key };
  const snippets = snippetsFor(services.url);
  expect(snippets.map(({ name }) => name).sort()).toEqual(Object.keys(WAYS).sort());
  for (const { name, text } of snippets) {
    const printed = await WAYS[name]?.(text, { directory: directory.path, env });
    expect([name, printed]).toEqual([name, expect.stringMatching(/hello(?:\\+n|\n)(?:Linux|Darwin)/)]);
  }
});
