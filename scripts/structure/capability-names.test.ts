import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { capabilityNames, segmentsOf } from './capability-names.ts';
import { trackedFiles } from './tracked-files.ts';

async function segments(): Promise<Set<string>> {
  const documents = await Promise.all(
    ['v1', 'v2'].map(async (surface) => {
      const text = await readFile(join(ROOT, `docs/openapi/${surface}.json`), 'utf8');
      return Object.keys((JSON.parse(text) as { paths: object }).paths);
    }),
  );
  return segmentsOf(documents.flat());
}

test('core, http, mcp and app.ts import no capability and write no path of one', async () => {
  const known = await segments();
  expect([...known]).toEqual(expect.arrayContaining(['commands', 'fs', 'pty', 'watch', 'bash', 'file', 'shell']));
  const files = (await trackedFiles()).filter((file) => /^daemon\/src\/.*\.ts$/.test(file));
  const faults = await Promise.all(
    files.map(async (file) => capabilityNames(file, await readFile(join(ROOT, file), 'utf8'), known)),
  );
  expect(faults.flat()).toEqual([]);
});

test.each([
  ['daemon/src/core/a.ts', `import { x } from '../capabilities/pty/x.ts';`],
  ['daemon/src/http/access/gate.ts', `const PATH = '/v2/pty/ws';`],
  ['daemon/src/http/a.ts', `app.get('/fs/read', () => {});`],
  ['daemon/src/mcp/hub.ts', `await import('../capabilities/files/tools.ts');`],
  ['daemon/src/app.ts', `const own = "/v1/bash";`],
])('%s may not say %s', (file, source) => {
  expect(capabilityNames(file, source, new Set(['pty', 'fs', 'bash']))).toHaveLength(1);
});

test.each([
  ['daemon/src/app.ts', `import { CAPABILITIES } from './capabilities/index.ts';`],
  ['daemon/src/core/a.ts', `import { shownPath } from './files/file-path.ts'; // not /v2/pty`],
  ['daemon/src/http/a.ts', `const path = '/ptyx';`],
  ['daemon/src/capabilities/pty/v2/routes.ts', `app.get('/pty/sessions', () => {});`],
])('%s may say %s', (file, source) => {
  expect(capabilityNames(file, source, new Set(['pty', 'fs', 'bash']))).toEqual([]);
});
