import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { baseOfImages, buildImages, DAEMON_IMAGE, DESKTOP_IMAGE } from '../../../scripts/images/build-images.ts';
import { capture, docker } from '../../../scripts/images/docker.ts';
import { ROOT } from '../../../scripts/root.ts';
import { debianProgram, type Need } from '../../../scripts/test-all/need.ts';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { besideFloor, bounded, floorName } from '../harness/rows.ts';
import { memoryOfContainer, type RunContainer, runContainer } from '../testbed/container.ts';
import { buildStage } from '../testbed/image-builds.ts';

const IDLE_MS = 8000;
const WITH_BROWSER = 'idle memory with the browser';
const OPTIONS = ['--shm-size', '4g', '--security-opt', `seccomp=${join(ROOT, 'images/seccomp.json')}`];
const PEER = 'bare node:http in a container';
const SERVER = `require('http').createServer((_, r) => r.end('ok')).listen(8080); process.on('SIGTERM', () => process.exit(0))`;

/** What the image runs at rest, without supervisor, settings and services of ours; `browser` may be empty. */
function barePrograms(browser: string): string[] {
  const programs = [
    'Xtigervnc :1 -geometry 1280x800 -SecurityTypes None -rfbport -1 -rfbunixpath /tmp/vnc.sock',
    'sleep 1; DISPLAY=:1 openbox',
    'python3 -c "import signal, IPython.core.interactiveshell, ipykernel.zmqshell; signal.pause()"',
    `node -e "require('http').createServer().listen(8091)"`,
    `node -e "${SERVER}"`,
    ...(browser === '' ? [] : [browser]),
  ];
  return ['sh', '-c', [...programs.map((program) => `(${program}) &`), 'wait'].join(' ')];
}
const BARE_BROWSER =
  'sleep 1; DISPLAY=:1 /usr/lib/chromium/chromium --no-sandbox --no-first-run --user-data-dir=/tmp/profile about:blank';
const BARE = 'the same programs, bare';

/** MiB of a container that runs bare programs. */
async function bareMemory(browser: string): Promise<number> {
  await using container = await runContainer('/', OPTIONS, barePrograms(browser));
  return await idleMemory(container);
}

async function idleMemory({ id }: RunContainer): Promise<number> {
  await delay(IDLE_MS);
  return memoryOfContainer(id);
}

/** The engine, which can also build. */
export const DOCKER: Need = {
  name: 'docker',
  probe: ['docker', 'version'],
  obtain: [['node', join(ROOT, 'scripts/images.ts'), 'engine']],
  reason: 'the image is built and run by it',
};
const ZSTD = debianProgram('zstd', 'the image is compressed with it');

const life: Measurement = {
  rows: [
    bounded('docker run to /ready', 'ms', 1500),
    bounded('docker run to DevTools', 'ms', 2500),
    bounded(WITH_BROWSER, 'MiB', 260),
    bounded('docker stop', 'ms', 3000),
  ],
  peer: PEER,
  measureOurs: async () => {
    await using container = await runContainer('/ready', OPTIONS);
    const browser = await untilBrowser(container);
    return [container.readyMs, browser, await idleMemory(container), await stopMs(container)];
  },
  measurePeer: async () => {
    await using container = await runContainer('/', [], ['node', '-e', SERVER]);
    const memory = await memoryOfContainer(container.id);
    return [container.readyMs, container.readyMs, memory, await stopMs(container)];
  },
};

/** A row of `life` beside its floor, in containers of their own. */
const withBrowser: Measurement = {
  rows: [{ name: floorName(WITH_BROWSER), unit: 'MiB', better: 'lower' }],
  peer: BARE,
  measureOurs: async () => {
    await using container = await runContainer('/ready', OPTIONS);
    await untilBrowser(container);
    return [await idleMemory(container)];
  },
  measurePeer: async () => [await bareMemory(BARE_BROWSER)],
};

const desktop: Measurement = {
  rows: [bounded('desktop: docker run to its tree', 'ms', 6000), bounded('desktop: idle memory', 'MiB', 420)],
  peer: PEER,
  measureOurs: async () => {
    await using container = await runContainer('/v2/computer/accessibility', OPTIONS, [], DESKTOP_IMAGE);
    return [container.readyMs, await idleMemory(container)];
  },
  measurePeer: async () => {
    await using container = await runContainer('/', [], ['node', '-e', SERVER]);
    return [container.readyMs, await memoryOfContainer(container.id)];
  },
};

const withoutBrowser: Measurement = {
  rows: [bounded('idle memory, BROWSER_START_MODE=manual', 'MiB', 150)],
  peer: PEER,
  measureOurs: async () => {
    await using container = await runContainer('/ready', [...OPTIONS, '-e', 'BROWSER_START_MODE=manual']);
    return [await idleMemory(container)];
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
    'and of `docker save` through zstd; the peer is the base image. Floors: display, window manager, Chromium, a ' +
    'Python that has imported IPython and two `node:http` servers, started by a shell in a container of the same ' +
    'image; and the stage of the image that has all packages and none of the services. The desktop image is ready ' +
    'when the accessibility tree of its desktop is answered.',
  reasons: {
    [WITH_BROWSER]:
      'the same programs without settings, supervisor and capabilities take most of it (its floor): Chromium, a display, ' +
      'two Nodes, and a Python with IPython, so that the first cell of a session needs no start of it.',
    'idle memory, BROWSER_START_MODE=manual':
      'beyond the bare programs (its floor) stand the modules and schemas of all capabilities in the daemon, and the ' +
      'supervisor.',
    'size compressed':
      '99 % are packages (its floor): Chromium, and the programs for ordinary work of agents, such as ffmpeg, cmake, ' +
      'the editors and uv.',
  },
  async prepare(stack) {
    await buildImages(() => {});
    const base = await baseOfImages();
    const sizes = sizesOf(DAEMON_IMAGE);
    const sizesOfBase = sizesOf(base);
    const packages = stack.use(await buildStage('daemon-packages', base));
    const sizesOfPackages = sizesOf(packages.name);
    const sizesOfDesktop = sizesOf(DESKTOP_IMAGE);
    const size: Measurement = {
      rows: [bounded('size', 'GB', 1.7), bounded('size compressed', 'MB', 540)],
      peer: 'the base image',
      rounds: 1,
      measureOurs: () => sizes,
      measurePeer: () => sizesOfBase,
    };
    const desktopSize: Measurement = {
      rows: [bounded('desktop: size', 'GB', 2.1)],
      peer: 'the base image',
      rounds: 1,
      measureOurs: async () => (await sizesOfDesktop).slice(0, 1),
      measurePeer: async () => (await sizesOfBase).slice(0, 1),
    };
    return [
      life,
      withBrowser,
      withoutBrowser,
      besideFloor(withoutBrowser, BARE, async () => [await bareMemory('')]),
      desktop,
      size,
      besideFloor(size, 'its packages alone', () => sizesOfPackages),
      desktopSize,
    ];
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
