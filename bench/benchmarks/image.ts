import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { baseOfImages, buildImages, DAEMON_IMAGE } from '../../scripts/images/build-images.ts';
import { capture, docker } from '../../scripts/images/docker.ts';
import { ROOT } from '../../scripts/root.ts';
import { debianProgram, type Need } from '../../scripts/test-all/need.ts';
import type { Benchmark, Measurement, Row } from '../harness/benchmark.ts';
import { memoryOfContainer, type RunContainer, runContainer } from '../testbed/container.ts';

const IDLE_MS = 8000;
const OPTIONS = ['--shm-size', '4g', '--security-opt', `seccomp=${join(ROOT, 'images/seccomp.json')}`];
const PEER = 'bare node:http in a container';
const SERVER = `require('http').createServer((_, r) => r.end('ok')).listen(8080); process.on('SIGTERM', () => process.exit(0))`;

/** The engine, which can also build. */
export const DOCKER: Need = {
  name: 'docker',
  probe: ['docker', 'version'],
  obtain: [['node', join(ROOT, 'scripts/images.ts'), 'engine']],
  reason: 'the image is built and run by it',
};
const ZSTD = debianProgram('zstd', 'the image is compressed with it');

function atMost(name: string, unit: string, bound: number): Row {
  return { name, unit, better: 'lower', goal: { words: `at most ${bound} ${unit}`, of: 'value', bound } };
}

const life: Measurement = {
  rows: [
    atMost('docker run to /ready', 'ms', 1500),
    atMost('docker run to DevTools', 'ms', 2500),
    atMost('idle memory with the browser', 'MiB', 260),
    atMost('docker stop', 'ms', 3000),
  ],
  peer: PEER,
  rounds: 3,
  measureOurs: async () => {
    await using container = await runContainer('/ready', OPTIONS);
    const browser = await untilBrowser(container);
    await delay(IDLE_MS);
    return [container.readyMs, browser, await memoryOfContainer(container.id), await stopMs(container)];
  },
  measurePeer: async () => {
    await using container = await runContainer('/', [], ['node', '-e', SERVER]);
    const memory = await memoryOfContainer(container.id);
    return [container.readyMs, container.readyMs, memory, await stopMs(container)];
  },
};

const withoutBrowser: Measurement = {
  rows: [atMost('idle memory, BROWSER_START_MODE=manual', 'MiB', 150)],
  peer: PEER,
  rounds: 3,
  measureOurs: async () => {
    await using container = await runContainer('/ready', [...OPTIONS, '-e', 'BROWSER_START_MODE=manual']);
    await delay(IDLE_MS);
    return [await memoryOfContainer(container.id)];
  },
  measurePeer: async () => {
    await using container = await runContainer('/', [], ['node', '-e', SERVER]);
    return [await memoryOfContainer(container.id)];
  },
};

export const image: Benchmark = {
  name: 'image',
  needs: [DOCKER, ZSTD],
  about:
    'a container of the daemon image, with 4 GiB of shared memory and the seccomp profile, from the call of `docker ' +
    'run` to the first 200 of `/ready` through the published port, and to the first answer of the DevTools inside; ' +
    'idle memory is that of its control group, less inactive page cache, 8 s later. The peer is a `node:http` ' +
    'server of one line in a container of the same image, without the supervisor. Sizes: by `docker image inspect`, ' +
    'and of `docker save` through zstd; the peer is the base image.',
  async prepare() {
    await buildImages(() => {});
    const base = await baseOfImages();
    const sizes = sizesOf(DAEMON_IMAGE);
    const sizesOfBase = sizesOf(base);
    const size: Measurement = {
      rows: [atMost('size', 'GB', 1.7), atMost('size compressed', 'MB', 540)],
      peer: 'the base image',
      rounds: 1,
      measureOurs: () => sizes,
      measurePeer: () => sizesOfBase,
    };
    return [life, withoutBrowser, size];
  },
};

/** Milliseconds from `docker run` to the first answer of the DevTools, polled inside the container. */
async function untilBrowser({ url, begunOn }: RunContainer): Promise<number> {
  const loop = 'until curl -fso /dev/null 127.0.0.1:9222/json/version; do sleep 0.01; done; date +%s%3N';
  const answer = await fetch(`${url}/v2/commands`, { method: 'POST', body: JSON.stringify({ command: loop }) });
  const { data } = (await answer.json()) as { data: { stdout: string } };
  return Number(data.stdout) - begunOn;
}

async function stopMs({ id }: RunContainer): Promise<number> {
  const begun = performance.now();
  await docker('stop', id);
  return performance.now() - begun;
}

async function sizesOf(name: string): Promise<number[]> {
  const size = Number(await docker('image', 'inspect', '--format', '{{.Size}}', name));
  const { ok, stdout, stderr } = await capture(['sh', '-c', `docker save ${name} | zstd -T0 -q | wc -c`]);
  if (!ok) throw new Error(`the image cannot be compressed: ${stderr}`);
  return [size / 1e9, Number(stdout) / 1e6];
}
