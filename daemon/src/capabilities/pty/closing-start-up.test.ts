import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';
import { create } from './pty.fixture.ts';

/** A program with a lock that it removes at its end; removing takes a while. */
const LOCKING = `
trap 'sleep 0.3; rm -f lock' EXIT
touch lock
while :; do sleep 0.1; done
`;

describeOnHosts('closing a terminal whose shell reads its start-up files', () => {
  test.each([
    ['evaluates the output of a program', 'eval "$(bash ./program)"'],
    ['runs a program', 'bash ./program'],
    ['pipes a program', 'bash ./program | cat'],
    ['waits for a program', 'bash ./program & wait'],
  ])('[pty.close-cleans] a file that %s: the program removes its lock, and the file ends', async (_name, line) => {
    await using directory = await tempDir();
    const { path } = directory;
    await writeFile(join(path, '.bash_profile'), `${line}\ntouch after\nsleep 1000\n`);
    await writeFile(join(path, 'program'), LOCKING);
    await using daemon = await TestApp.start({ shellBackend: 'native' });
    await create(daemon, 'a', { command: 'bash', args: ['-l'], cwd: path, env: { HOME: path } });
    await expect.poll(() => existsSync(join(path, 'lock'))).toBe(true);
    const answer = await daemon.inject({ method: 'DELETE', url: '/v2/pty/sessions/a' });
    expect(answer.statusCode).toBe(200);
    expect([existsSync(join(path, 'lock')), existsSync(join(path, 'after'))]).toEqual([false, false]);
  });
});
