import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { BUILT_IN, type Client, callsIn } from './calls.ts';
import { curl, inspector, installedFile } from './command-line.ts';
import { startHub } from './hub-with-fixture.ts';
import { startPrefixingProxy } from './prefixing-proxy.ts';
import { langchain, pythonSdk } from './python-clients.ts';
import { sdkClient } from './sdk-client.ts';

const TIMEOUT = { timeout: 900_000 };
const KEYS = [
  ['without a key', ''],
  ['with a key', 'the-key'],
] as const;

const CLIENTS: readonly (readonly [string, Client])[] = [
  ['the TypeScript SDK with a handshake', sdkClient({})],
  ['the TypeScript SDK without one', sdkClient({ versionNegotiation: { mode: { pin: '2026-07-28' } } })],
  ['the Python SDK', pythonSdk('auto')],
  ['the Python SDK with a handshake', pythonSdk('legacy')],
  ['the MCP Inspector', inspector],
  ['curl', curl],
  ['the adapter of LangChain', langchain],
];

describe.each(KEYS)('%s, under a path prefix', (_name, key) => {
  test('each client lists and calls every tool', TIMEOUT, async () => {
    await using hub = await startHub(key);
    await using proxy = await startPrefixingProxy(hub.url, '/box/7');
    const calls = callsIn(hub.directory, hub.hasBrowser);
    for (const [name, client] of CLIENTS) {
      const begun = performance.now();
      const { names, results } = await client({ url: `${proxy.url}/mcp`, key }, calls);
      expect([name, names.slice(0, BUILT_IN.length)]).toEqual([name, BUILT_IN]);
      expect([name, names.includes('fixture_add'), names.includes('browser_snapshot')]).toEqual([
        ...[name, true, hub.hasBrowser],
      ]);
      const judged = calls.map(({ says, isError = false, images = 0 }, at) => {
        const seen = results[at];
        return [
          name,
          calls[at]?.tool,
          seen?.text.includes(says) || seen?.text,
          seen?.isError === isError,
          seen?.images === images,
        ];
      });
      expect(judged).toEqual(calls.map(({ tool }) => [name, tool, true, true, true]));
      process.stdout.write(`${name}: ${calls.length} calls in ${Math.round(performance.now() - begun)} ms\n`);
    }
  });
});

test('the conformance suite of the protocol fails where it is expected to, and nowhere else', TIMEOUT, async () => {
  await using hub = await startHub('');
  const program = await installedFile('@modelcontextprotocol/conformance', '0.1.16', 'dist/index.js');
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  const expected = join(import.meta.dirname, 'conformance.yaml');
  const args = ['server', '--url', `${hub.url}/mcp`, '--suite', 'all', '--expected-failures', expected];
  const ended = await promisify(execFile)(process.execPath, [program, ...args], {
    cwd: directory,
    timeout: 800_000,
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error) => error,
  );
  await rm(directory, { recursive: true });
  const summary = ended.stdout.slice(ended.stdout.indexOf('=== SUMMARY ==='));
  process.stdout.write(`${summary}\n`);
  expect([summary, ended.code]).toEqual([summary, 0]);
});
