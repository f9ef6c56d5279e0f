import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAEMON_IMAGE } from '../../scripts/images/build-images.ts';
import { docker } from '../../scripts/images/docker.ts';
import { has } from '../../scripts/testing/machine.ts';
import { LABEL } from '../setup/images.ts';
import { pollByProcess } from './observe.ts';
import { keepPicture, pictureSize } from './person.ts';
import { startSandbox } from './sandbox.ts';

const DAY = readFile(join(import.meta.dirname, 'agents-day.sh'), 'utf8');
const SHELL = ['sh', '-s'];

test.runIf(has('registries'))('[images.agents-day] an agent’s day runs as the account with a network', async () => {
  await using sandbox = await startSandbox();
  const day = await sandbox.run([...SHELL, 'online'].join(' '), { stdin: await DAY, timeout: 250 });
  expect({ ...day, stderr: day.stderr }).toMatchObject({
    exit_code: 0,
    stdout: expect.stringContaining('the day is done\n'),
  });
  const picture = await sandbox.fetch('/v2/fs/download?path=/home/sandbox/shop.png');
  const png = new Uint8Array(await picture.arrayBuffer());
  expect(pictureSize(png)[0]).toBeGreaterThan(1000);
  await keepPicture('agents-day', png);
});

test('[images.agents-day] an agent’s day runs as the account without a network', async () => {
  const labels = Object.entries(LABEL).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
  const id = await docker('run', '--detach', '--network', 'none', '--shm-size', '1g', ...labels, DAEMON_IMAGE);
  const inside = (script: string): Promise<string> => docker('exec', id, 'sh', '-c', script);
  try {
    await pollByProcess(() => inside('/opt/svc/hooks/healthcheck 2>&1 || true')).toBe('');
    const call = JSON.stringify({ command: SHELL.join(' '), stdin: await DAY, timeout: 250 });
    await docker('exec', id, 'sh', '-c', `cat >/tmp/call <<'CALL'\n${call}\nCALL`);
    const answer = await inside(
      'curl -sS http://127.0.0.1:8080/v2/commands -H content-type:application/json -d @/tmp/call',
    );
    const { data } = JSON.parse(answer) as { data: object };
    expect(data).toMatchObject({ exit_code: 0, stdout: expect.stringContaining('the day is done\n') });
    const saved = 'curl -sS -o /tmp/shop.png "http://127.0.0.1:8080/v2/fs/download?path=/home/sandbox/shop.png"';
    expect(await inside(`${saved}; file -b /tmp/shop.png`)).toContain('PNG image data');
  } finally {
    await docker('rm', '--force', '--volumes', id);
  }
});
