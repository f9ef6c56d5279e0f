import { readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';
import { create, exec, screen } from './pty.fixture.ts';

describeOnHosts('output of a terminal that cannot be read', () => {
  test('[pty.output-boundary] ends that terminal with one log line that has the stack', async () => {
    await using daemon = await TestApp.start({ shellBackend: 'native', logLevel: 'error' });
    await create(daemon, 'a');
    await screen(daemon, 'a', (output) => output.startsWith('$'));
    const output = join(daemon.directory, 'output');
    for (const name of readdirSync(output)) {
      rmSync(join(output, name));
      symlinkSync(name, join(output, name));
    }
    await create(daemon, 'b');
    await daemon.post('/v2/pty/sessions/a/exec', { command: 'echo out', timeout: 60 });
    await expect.poll(async () => (await daemon.post('/v2/pty/sessions/a/input', { input: 'x' })).statusCode).toBe(409);
    expect((await exec(daemon, 'b', 'echo on')).output).toBe('on\n');
    const lines = daemon.log.filter((line) => line.includes('output of a terminal'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        session: 'a',
        err: expect.objectContaining({ stack: expect.stringContaining('ELOOP') }),
      }),
    ]);
  });
});
