import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { trackedFiles } from './tracked-files.ts';

/** Packages that services depend on and that read no bytes from outside, with the reason. */
const WITHOUT_BYTES: Readonly<Record<string, string>> = {
  '@fastify/swagger': 'describes the routes',
  '@lydell/node-pty': 'passes bytes on',
  '@opentelemetry/api': 'own spans',
  '@opentelemetry/core': 'own spans',
  '@opentelemetry/exporter-trace-otlp-http': 'own spans; of the collector it reads the status',
  '@opentelemetry/resources': 'own spans',
  '@opentelemetry/sdk-trace': 'own spans',
  '@playwright/mcp': 'drives the browser of the image, in a process of the account',
  '@xterm/addon-fit': 'measures the page',
  chokidar: 'names of files',
  'fastest-levenshtein': 'names of fields of at most 64 characters',
  'fastify-type-provider-zod': 'passes values that are parsed',
  'find-my-way': 'paths of at most 4,096 characters',
  pino: 'own lines',
  'playwright-core': 'drives the browser of the image, in a process of the account',
  preact: 'draws values',
  'prom-client': 'own numbers',
  sharp: 'pixels of the display, whose number is bounded',
  'swagger-ui-dist': 'own documents',
  zod: 'values that are parsed, and whose number is bounded',
};
/** Packages that the table has by another name. */
const NAMES: Readonly<Record<string, string>> = {
  '@xterm/headless': 'xterm, in the daemon',
  '@xterm/addon-serialize': 'xterm, in the daemon',
  '@xterm/xterm': 'xterm, in the page',
  '@modelcontextprotocol/server': 'JSON.parse',
};
const SERVICES = ['program', 'api', 'daemon', 'gateway', 'browser-mcp', 'computer-use'];

async function rows(): Promise<readonly (readonly string[])[]> {
  const text = await readFile(join(ROOT, 'docs/limits.md'), 'utf8');
  const table = text.split('## Third-party engines that meet bytes from outside')[1]?.split('\n## ')[0] ?? '';
  return table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

test('each engine that meets bytes from outside names the file of its hostile inputs', async () => {
  const files = new Set(await trackedFiles());
  const inputs = (await rows()).map((cells) => [cells[1], cells.at(-2)?.replaceAll('`', '') ?? ''] as const);
  expect(inputs.length).toBeGreaterThan(15);
  expect(inputs.filter(([, file]) => !files.has(file))).toEqual([]);
});

test('each package of a service is an engine of the table, or reads no bytes from outside', async () => {
  const packages = await Promise.all(
    SERVICES.map(async (service) => JSON.parse(await readFile(join(ROOT, service, 'package.json'), 'utf8'))),
  );
  const names = new Set(packages.flatMap(({ dependencies }) => Object.keys(dependencies)));
  const engines = (await rows()).map((cells) => cells[1] ?? '').join(', ');
  const unknown = [...names].filter(
    (name) => !name.startsWith('@sandbox/') && !(name in WITHOUT_BYTES) && !engines.includes(NAMES[name] ?? name),
  );
  expect(unknown).toEqual([]);
});
