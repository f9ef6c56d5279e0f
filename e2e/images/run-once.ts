import { DAEMON_IMAGE } from '../../scripts/images/build-images.ts';
import { capture } from '../../scripts/images/docker.ts';
import { LABEL } from '../setup/images.ts';
import { plainLog } from './plain-log.ts';

/** Runs a container that exits by itself; resolves with its exit code and output. */
export async function runOnce(
  env: Readonly<Record<string, string>>,
  options: readonly string[] = [],
  command: readonly string[] = [],
  image = DAEMON_IMAGE,
): Promise<{ code: number; output: string }> {
  const labels = Object.entries(LABEL).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const { code, stdout, stderr } = await capture([
    'docker',
    'run',
    '--rm',
    ...labels,
    ...variables,
    ...options,
    image,
    ...command,
  ]);
  return { code, output: plainLog(stdout) + plainLog(stderr) };
}
