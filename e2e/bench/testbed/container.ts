import { setTimeout as delay } from 'node:timers/promises';
import { DAEMON_IMAGE } from '../../../scripts/images/build-images.ts';
import { docker } from '../../../scripts/images/docker.ts';

const TRY_MS = 5;
const LIMIT_MS = 60_000;
const UNITS: Readonly<Record<string, number>> = { KiB: 1 / 1024, MiB: 1, GiB: 1024 };

/** A container with the measurements of its start. */
export interface RunContainer extends AsyncDisposable {
  readonly id: string;
  readonly url: string;
  /** `performance.now()` and wall clock, both in ms, at which `docker run` was called. */
  readonly begunAt: number;
  readonly begunOn: number;
  /** Milliseconds from then to the first 200. */
  readonly readyMs: number;
}

/** Starts a container of an image and polls `path` on its port 8080 until it answers 200. */
export async function runContainer(
  path: string,
  options: readonly string[] = [],
  command: readonly string[] = [],
  image: string = DAEMON_IMAGE,
): Promise<RunContainer> {
  const [begunAt, begunOn] = [performance.now(), Date.now()];
  const id = await docker('run', '-d', '-p', '127.0.0.1::8080', ...options, image, ...command);
  const remove = async (): Promise<void> => void (await docker('rm', '--force', '--volumes', id));
  try {
    const url = `http://${(await docker('port', id, '8080')).split('\n')[0]}`;
    await untilOk(url + path);
    return { id, url, begunAt, begunOn, readyMs: performance.now() - begunAt, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** MiB of the container's control group, without inactive page cache. */
export async function memoryOfContainer(id: string): Promise<number> {
  const usage = await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', id);
  const [, amount = '', unit = ''] = /^([\d.]+)(\w+)/.exec(usage) ?? [];
  return Number(amount) * (UNITS[unit] ?? Number.NaN);
}

async function untilOk(url: string): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await isOk(url))) {
    if (performance.now() > deadline) throw new Error(`${url} does not answer 200`);
    await delay(TRY_MS);
  }
}

async function isOk(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
