import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { scan } from './scan.ts';

/** Of a package in the lockfile, as the registry answers it. */
const ADVISORY = {
  id: 1,
  url: 'https://advisories.example/1',
  title: 'a known fault',
  severity: 'high',
  vulnerable_versions: '*',
  cwe: [],
  cvss: { score: 8, vectorString: null },
};

interface Answers {
  /** Status and body of the registry's answer to an audit. */
  readonly registry: readonly [number, object];
  /** Script in the place of the scanner; without one there is neither it nor Go. */
  readonly scanner?: string;
}

/** What a scan says, or its error. */
async function scanned({ registry: [status, body], scanner }: Answers): Promise<string[]> {
  await using directory = await tempDir();
  const bin = join(directory.path, 'bin');
  await mkdir(bin);
  if (scanner !== undefined) {
    await writeFile(join(bin, 'osv-scanner'), `#!/bin/sh\n[ "$1" = --version ] && exit 0\n${scanner}\n`);
    await chmod(join(bin, 'osv-scanner'), 0o755);
  }
  await using server = createServer(({ method, url = '' }, answer) => {
    const name = decodeURIComponent(url.slice(1));
    const described = { name, versions: { '1.0.0': { name, version: '1.0.0' } } };
    answer.writeHead(status, { 'content-type': 'application/json' });
    answer.end(JSON.stringify(method === 'POST' ? body : described));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const own = (process.env['PATH'] ?? '').split(':').filter((path) => !/\/go\/bin|^\/usr\/local\/bin/.test(path));
  const env = {
    PATH: [bin, join(ROOT, 'node_modules/.bin'), ...own].join(':'),
    npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    npm_config_fetch_retries: '0',
    npm_config_cache: join(directory.path, 'cache'),
  };
  const said: string[] = [];
  const place = {
    root: ROOT,
    bill: join(directory.path, 'a.cdx.json'),
    tools: join(directory.path, 'tools'),
  };
  await scan(place, (line) => said.push(line), env).catch((error: Error) => said.push(`error: ${error.message}`));
  return said;
}

const CLEAN = 'echo "No issues found"';

test('the registry and the scanner know of no fault', async () => {
  const scanner = '[ "$1 $2 $3" = "scan source --lockfile" ] || exit 127; echo "No issues found"';
  expect(await scanned({ registry: [200, {}], scanner })).toEqual([
    'npm audit: 0 known faults',
    'osv-scanner: No issues found',
  ]);
});

test('a fault that the registry knows of ends the release', async () => {
  const [error] = await scanned({ registry: [200, { fastify: [ADVISORY] }], scanner: CLEAN });
  expect(error).toMatch(/^error: npm audit: .*fastify.*a known fault/s);
});

test('what cannot be reached is left out, and said', async () => {
  expect(await scanned({ registry: [405, {}] })).toEqual([
    expect.stringMatching(/^npm audit was left out: 405 Method Not Allowed/),
    'the scan of the bill of materials was left out: neither osv-scanner nor Go is on PATH',
  ]);
  const [, silent] = await scanned({ registry: [405, {}], scanner: 'echo "no route to osv.dev" >&2; exit 127' });
  expect(silent).toBe('the scan of the bill of materials was left out: no route to osv.dev');
});

test.each([
  ['a fault that the scanner knows of', 1],
  ['a bill in which the scanner sees no package', 128],
])('%s ends the release', async (_what, code) => {
  const scanner = `echo "the report"; exit ${code}`;
  const said = await scanned({ registry: [200, {}], scanner });
  expect(said.at(-1)).toMatch(/^error: osv-scanner: the report/);
});
