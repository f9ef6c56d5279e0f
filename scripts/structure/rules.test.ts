import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { importFaults } from './rules.ts';
import { trackedFiles } from './tracked-files.ts';

const COMMANDS = 'daemon/src/capabilities/commands';

test('the sources keep the import rules', async () => {
  const files = (await trackedFiles()).filter((file) =>
    /^(?:program|api|daemon|gateway|browser-mcp|computer-use|clients)\/.*\.ts$/.test(file),
  );
  const faults = await Promise.all(files.map(async (f) => importFaults(f, await readFile(join(ROOT, f), 'utf8'))));
  expect(faults.flat()).toEqual([]);
  expect(files.length).toBeGreaterThan(0);
});

test.each([
  ['program/src/a.ts', 'undici'],
  ['clients/typescript/src/a.ts', '@sandbox/program/logger.ts'],
  ['clients/typescript/src/a.ts', 'node:fs'],
  ['program/src/a.ts', '../../daemon/src/core/registry.ts'],
  ['program/src/a.ts', '@sandbox/api/wait.ts'],
  ['api/src/wait.ts', './http/envelope.ts'],
  ['api/src/wait.ts', 'fastify'],
  ['api/src/http/envelope.ts', '../../../daemon/src/core/registry.ts'],
  ['gateway/src/a.ts', '@sandbox/api/wait.ts'],
  ['daemon/src/core/a.ts', 'fastify'],
  ['daemon/src/core/a.ts', '@sandbox/api/http/envelope.ts'],
  ['daemon/src/core/a.ts', '../http/surfaces.ts'],
  ['daemon/src/core/a.ts', 'node:child_process'],
  ['daemon/src/http/a.ts', '../capabilities/commands/command.ts'],
  ['daemon/src/http/a.ts', '../capability.ts'],
  ['gateway/src/a.ts', 'node:child_process'],
  ['gateway/src/a.ts', '../../daemon/src/core/registry.ts'],
  ['daemon/src/a.ts', '../../gateway/src/config.ts'],
  ['daemon/src/mcp/hub.ts', '@sandbox/api/http/envelope.ts'],
  ['daemon/src/mcp/hub.ts', '../http/surfaces.ts'],
  ['daemon/src/mcp/hub.ts', '../capabilities/commands/tools.ts'],
  ['daemon/src/protocols/e2b/a.ts', '../../capabilities/commands/command-service.ts'],
  ['daemon/src/protocols/e2b/a.ts', '../swe-rex/index.ts'],
  ['daemon/src/protocols/e2b/a.ts', 'fastify'],
  ['daemon/src/cli.ts', './protocols/index.ts'],
  [`${COMMANDS}/command-service.ts`, 'fastify'],
  [`${COMMANDS}/command-service.ts`, 'zod'],
  [`${COMMANDS}/command-service.ts`, '@sandbox/api/http/envelope.ts'],
  [`${COMMANDS}/command-service.ts`, '../../http/fields.ts'],
  [`${COMMANDS}/command-service.ts`, './wire/schemas.ts'],
  [`${COMMANDS}/command-service.ts`, '../../capability.ts'],
  [`${COMMANDS}/v2/routes.ts`, '../../files/file-service.ts'],
  [`${COMMANDS}/v2/routes.ts`, '../v1/routes.ts'],
  [`${COMMANDS}/wire/wire.ts`, '../v2/routes.ts'],
  [`${COMMANDS}/v2/session-routes.ts`, '../v1/wire.ts'],
  [`${COMMANDS}/run/command.ts`, '../wire/schemas.ts'],
  [`${COMMANDS}/routes.ts`, './v1/routes.ts'],
  [`${COMMANDS}/v1/routes.ts`, '../v2/routes.ts'],
  [`${COMMANDS}/v1/routes.ts`, 'undici'],
  [`${COMMANDS}/tools.ts`, '@sandbox/api/http/envelope.ts'],
  [`${COMMANDS}/tools.ts`, '../../http/fields.ts'],
])('%s may not import %s', (file, specifier) => {
  for (const source of [`import '${specifier}';`, `export * from '${specifier}';`, `await import('${specifier}');`]) {
    expect(importFaults(file, `\n${source}`)).toEqual([expect.stringMatching(new RegExp(`^${file}:2 `))]);
  }
});

test.each([
  ['program/src/a.ts', 'pino'],
  ['daemon/src/core/config.ts', '@sandbox/program/options.ts'],
  ['daemon/src/core/process/portable/portable-host.ts', 'node:child_process'],
  ['daemon/src/http/surfaces.ts', '../core/registry.ts'],
  ['daemon/src/http/surfaces.ts', '@sandbox/api/http/envelope.ts'],
  ['daemon/src/core/registry.ts', '@sandbox/api/wait.ts'],
  ['daemon/src/app.ts', './capabilities/index.ts'],
  [`${COMMANDS}/index.ts`, './v1/routes.ts'],
  [`${COMMANDS}/v2/routes.ts`, '@sandbox/api/http/envelope.ts'],
  [`${COMMANDS}/v2/routes.ts`, '../wire/schemas.ts'],
  [`${COMMANDS}/command-service.ts`, '@sandbox/api/sandbox-error.ts'],
  [`${COMMANDS}/command-service.test.ts`, 'fastify'],
])('%s may import %s', (file, specifier) => {
  expect(importFaults(file, `import '${specifier}';`)).toEqual([]);
});

test('the environment is read where the configuration is, and nowhere else', () => {
  expect(importFaults('daemon/src/http/a.ts', 'process.env.A')).toEqual([
    'daemon/src/http/a.ts:1 process.env: only the configuration reads process.env',
  ]);
  expect(importFaults('gateway/src/main.ts', 'process.env.A')).toEqual([]);
});
