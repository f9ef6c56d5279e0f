import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

test('readiness writes a file and leaves none', async () => {
  await using daemon = await TestApp.start();
  for (let time = 0; time < 2; time += 1) {
    const { checks } = (await daemon.inject('/ready')).json().data;
    expect(checks).toContainEqual(expect.objectContaining({ name: 'files', ok: true }));
  }
  expect(readdirSync(join(daemon.directory, 'probes'))).toEqual([]);
});
