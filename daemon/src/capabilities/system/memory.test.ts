import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { memoryFinding } from './memory.ts';

const MIB = 1024 ** 2;

test('[sandbox.doctor] less than 1 GiB of memory is named, with what it is not enough for and the next step', () => {
  expect(memoryFinding(1024 * MIB)).toEqual({ name: 'memory', ok: true, detail: '1024 MiB' });
  expect(memoryFinding(512 * MIB)).toEqual({
    name: 'memory',
    ok: false,
    detail: '512 MiB: commands, terminals, files and cells; beside a browser or desktop they are slow or killed',
    hint: 'allow 1 GiB (docker run --memory 1g), or start no browser (BROWSER_START_MODE=manual)',
  });
});

test('[sandbox.doctor] capabilities have the memory of the sandbox', async () => {
  await using daemon = await TestApp.start();
  const { checks } = (await daemon.inject('/v2/sandbox')).json().data.capabilities;
  expect(checks).toContainEqual(expect.objectContaining({ name: 'memory', required: false }));
});
