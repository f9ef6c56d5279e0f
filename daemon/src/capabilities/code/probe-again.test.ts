import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';

test('[code.probe-again] a Node that did not describe itself once is asked again', async () => {
  await using directory = await tempDir();
  const mark = join(directory.path, 'works');
  const program = `#!/bin/sh\nif [ -e '${mark}' ]; then exec '${process.execPath}' "$@"; fi\nexit 1\n`;
  writeFileSync(join(directory.path, 'node'), program, { mode: 0o755 });
  const path = process.env['PATH'];
  process.env['PATH'] = directory.path;
  try {
    await using daemon = await TestApp.start();
    const run = async () => {
      const { statusCode, body } = await daemon.post('/v2/code/execute', { language: 'javascript', code: '6 * 7' });
      return [statusCode, statusCode === 200 || body.includes('not found on PATH')];
    };
    expect(await run()).toEqual([503, true]);
    writeFileSync(mark, '');
    await expect.poll(run, { interval: 1000 }).toEqual([200, true]);
  } finally {
    process.env['PATH'] = path;
  }
});
