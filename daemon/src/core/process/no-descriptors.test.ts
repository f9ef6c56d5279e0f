import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const FIXTURE = join(import.meta.dirname, 'no-descriptors.fixture.ts');

test('a program that cannot be started without free descriptors does not end the daemon', async () => {
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    'ulimit -n 64; exec "$0" "$1"',
    process.execPath,
    FIXTURE,
  ]);
  expect(JSON.parse(stdout)).toEqual({
    tool: { output: [], code: 127, stderr: 'spawn /bin/true EMFILE' },
    reader: { code: 'EMFILE', name: 'InotifyFailure' },
  });
});
