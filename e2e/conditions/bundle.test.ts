import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBundle, packBundle } from '../../scripts/bundle/make-bundle.ts';
import { baseOfImages } from '../../scripts/images/build-images.ts';
import { capture, docker } from '../../scripts/images/docker.ts';
import { ROOT } from '../../scripts/root.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { blockOf, blocksOf, follow, GUIDE_KEY } from '../guide-commands.ts';
import { LABEL } from '../setup/images.ts';

const KEY = 'key-of-the-bundle';
const HEADERS = { 'x-api-key': KEY };
const ENTRYPOINT = 'ENTRYPOINT ["/opt/svc/bin/sandbox", "serve", "--"]';
/** What Node needs of a system. */
const LIBRARIES = 'libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 libgcc_s.so.1 libstdc++.so.6';

interface Command {
  readonly stdout: string;
  readonly exit_code: number;
}

let context: string;
let archive: string;
const images: string[] = [];

/** Builds an image with the bundle. */
async function imageOf(name: string, ...lines: readonly string[]): Promise<string> {
  await writeFile(join(context, 'Dockerfile'), lines.join('\n'));
  const image = `sandbox-embedded-${name}:test`;
  await docker('buildx', 'build', '--load', '--tag', image, context);
  images.push(image);
  return image;
}

function started(image: string, command: readonly string[]): Promise<StartedTestContainer> {
  return new GenericContainer(image)
    .withPullPolicy({ shouldPull: () => false })
    .withLabels(LABEL)
    .withEnvironment({ SVC_API_KEY: KEY })
    .withExposedPorts(8080)
    .withWaitStrategy(Wait.forLogMessage(/sandbox: ready on/))
    .withStartupTimeout(120_000)
    .withCommand([...command])
    .start();
}

async function run(container: StartedTestContainer, body: object): Promise<Command> {
  const url = `http://127.0.0.1:${container.getMappedPort(8080)}/v2/commands`;
  const answer = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: Command }).data;
}

beforeAll(async () => {
  context = await mkdtemp(join(tmpdir(), 'bundle-'));
  const directory = await makeBundle(ROOT, join(context, 'made'));
  archive = await packBundle(directory, 0);
  await rename(directory, join(context, 'svc'));
}, 600_000);

afterAll(async () => {
  for (const image of images) await docker('image', 'rm', '--force', image);
  await rm(context, { recursive: true });
});

test('in an image of its own the service runs beside the command, whose end is that of the container', async () => {
  const image = await imageOf('debian', `FROM ${await baseOfImages()}`, 'COPY svc /opt/svc', ENTRYPOINT);
  const container = await started(image, ['sh', '-c', 'trap "exit 5" TERM; sleep 3600 & wait']);
  const { stdout } = await run(container, { command: 'echo "$(id -un) $(sandbox --version)"' });
  expect(stdout).toMatch(/^root \S+\n$/);
  const secrets = await run(container, { command: 'tr "\\0" "\\n" < /proc/1/environ | grep -c key-of' });
  expect(secrets.stdout).toBe('0\n');
  const zombies = await run(container, {
    command: '(sh -c "sleep 0.1" &); sleep 0.5; grep -l "^State:.Z" /proc/[0-9]*/status | wc -l',
  });
  expect(zombies.stdout).toBe('0\n');
  const refused = await fetch(`http://127.0.0.1:${container.getMappedPort(8080)}/v2/commands`);
  expect(refused.status).toBe(401);
  const id = container.getId();
  await docker('stop', '--time', '20', id);
  expect(await docker('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('5');
  await container.stop();
});

test('in a root with the C library alone the service runs, without a shell', async () => {
  const base = await baseOfImages();
  const libraries = `cd /lib/x86_64-linux-gnu || cd /usr/lib/x86_64-linux-gnu; mkdir -p /root-of/lib64 /root-of/lib/x86_64-linux-gnu /root-of/tmp && chmod 1777 /root-of/tmp && cp -L ${LIBRARIES} /root-of/lib/x86_64-linux-gnu/ && cp -L /lib64/ld-linux-x86-64.so.2 /root-of/lib64/`;
  const image = await imageOf(
    'distroless',
    `FROM ${base} AS libraries`,
    'RUN apt-get update -qq >/dev/null; apt-get install -y -qq libstdc++6 >/dev/null; true',
    `RUN ${libraries}`,
    'FROM scratch',
    'COPY --from=libraries /root-of/ /',
    'COPY svc /opt/svc',
    ENTRYPOINT,
  );
  const container = await started(image, ['/opt/svc/bin/node', '-e', 'setInterval(() => {}, 1000)']);
  const url = `http://127.0.0.1:${container.getMappedPort(8080)}`;
  const written = await fetch(`${url}/v2/fs/write`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ path: '/tmp/file', content: 'text' }),
  });
  expect(written.status).toBe(200);
  const answer = await fetch(`${url}/v2/commands`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ command: 'true' }),
  });
  const { message } = (await answer.json()) as { message: string };
  expect([answer.status, message]).toEqual([200, 'the command could not be started: program not found: sh']);
  await container.stop();
});

/** What a root says that cannot run Node, by its services and by a command that starts services too. */
async function expectRefusal(image: string): Promise<void> {
  const { code, stderr } = await capture(['docker', 'run', '--rm', image, '/opt/svc/bin/sandbox', 'serve']);
  const line =
    'sandbox: /opt/svc/bin/node: it does not run here: it needs glibc 2.28 or newer and a processor of its own kind';
  expect([code, new Set(stderr.split('\n'))]).toEqual([126, new Set([line, ''])]);
}

test('without a C library the container ends with one line', async () => {
  await expectRefusal(await imageOf('empty', 'FROM scratch', 'COPY svc /opt/svc', ENTRYPOINT));
});

test('with musl in the place of glibc the container ends with one line', async () => {
  const image = await imageOf(
    'musl',
    `FROM ${await baseOfImages()} AS libraries`,
    'RUN apt-get update -qq >/dev/null && apt-get install -y -qq musl busybox-static >/dev/null',
    'RUN mkdir -p /root-of/lib /root-of/bin && cp -L /lib/ld-musl-*.so.1 /root-of/lib/ && cp /bin/busybox /root-of/bin/sh',
    'FROM scratch',
    'COPY --from=libraries /root-of/ /',
    'RUN test -e /lib/ld-musl-*.so.1',
    'COPY svc /opt/svc',
    ENTRYPOINT,
  );
  await expectRefusal(image);
});

/** Runs commands that build and start `my-sandbox` with other names and another port. @returns their output */
async function built(commands: string, directory: string, port: number): Promise<string> {
  const script = commands
    .replaceAll('FROM debian:12', `FROM ${await baseOfImages()}`)
    .replaceAll('my-sandbox', 'sandbox-embedded-own:test')
    .replace('docker run -d', `docker run -d --label '${Object.entries(LABEL)[0]?.join('=')}'`)
    .replaceAll('127.0.0.1:8080:8080', `127.0.0.1:${port}:8080`);
  images.push('sandbox-embedded-own:test');
  return await follow(script, `http://127.0.0.1:${port}`, directory);
}

test.each(['README.md', 'docs/recipes/own-image.md'])(
  'the image of its own of %s runs the first command',
  async (document) => {
    await using directory = await tempDir();
    const port = await freePort();
    const isReadme = document === 'README.md';
    const [recipe] = await blocksOf('own-image');
    const text = await readFile(join(ROOT, document), 'utf8');
    const place = isReadme ? join(directory.path, 'dist/bundle') : directory.path;
    await mkdir(place, { recursive: true });
    await copyFile(archive, join(place, basename(archive)));
    const dockerfile = await blockOf('own-image', 'dockerfile', 'debian:12');
    const image = await baseOfImages();
    await writeFile(
      join(directory.path, 'Dockerfile'),
      dockerfile.replace('debian:12', image).replace('-x64', `-${process.arch}`),
    );
    const [, readme = ''] = /```sh\nnpm run bundle .*\n([^`]+)```/.exec(text) ?? [];
    const commands = isReadme ? readme : await blockOf('own-image', 'bash', 'docker build');
    expect(commands).toContain(GUIDE_KEY);
    const id =
      (await built(commands.replace('docker build -t', 'docker build -q -t'), directory.path, port))
        .trim()
        .split('\n')
        .at(-1) ?? '';
    try {
      expect(await follow(recipe?.commands ?? '', `http://127.0.0.1:${port}`, directory.path)).toBe(recipe?.printed);
    } finally {
      await docker('rm', '--force', id);
    }
  },
);
