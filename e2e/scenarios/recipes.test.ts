import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { blockOf, blocksOf, follow, GUIDE_KEY } from '../guide-commands.ts';
import { Services } from '../services.ts';

/** A file `.mcp.json` of an editor. */
interface Servers {
  readonly mcpServers: {
    readonly sandbox: {
      readonly url?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly command?: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    };
  };
}

test.each(['coding-agent', 'data-analysis', 'evaluation', 'mcp-editor', 'warm-pool', 'web-preview'])(
  'the commands of the recipe %s print what stands below them',
  async (name) => {
    await using directory = await tempDir();
    const token = join(directory.path, 'claim-token');
    await writeFile(token, 'pool-token-0123456789', { mode: 0o600 });
    const isPool = name === 'warm-pool';
    await using services = await Services.start(isPool ? { SVC_CLAIM_TOKEN_FILE: token } : { SVC_API_KEY: GUIDE_KEY });
    const blocks = await blocksOf(name);
    const script = `export SANDBOX_URL=${services.url} SANDBOX_API_KEY=${GUIDE_KEY}\n${blocks.map(({ commands }) => commands).join('')}`;
    const output = await follow(script.replaceAll('/tmp/', `${directory.path}/`), services.url, directory.path);
    expect(output).toBe(blocks.map(({ printed }) => printed).join(''));
  },
);

test('the servers of the recipe mcp-editor list the tools of the sandbox', async () => {
  await using services = await Services.start({ SVC_API_KEY: GUIDE_KEY });
  const recipe = 'mcp-editor';
  const here = (text: string): Servers =>
    JSON.parse(text.replaceAll('http://127.0.0.1:8080', services.url).replaceAll('${SANDBOX_API_KEY}', GUIDE_KEY));
  const { url, headers } = here(await blockOf(recipe, 'json', '"http"')).mcpServers.sandbox;
  const { command, args, env } = here(await blockOf(recipe, 'json', '"command"')).mcpServers.sandbox;
  const inherited = { PATH: `${process.env['PATH']}:${join(ROOT, 'scripts/serve/bin')}`, SANDBOX_API_KEY: GUIDE_KEY };
  for (const transport of [
    new StreamableHTTPClientTransport(new URL(url ?? ''), { requestInit: { headers: { ...headers } } }),
    new StdioClientTransport({ command: command ?? '', args: [...(args ?? [])], env: { ...inherited, ...env } }),
  ]) {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('sandbox_execute_bash');
    await client.close();
  }
});
