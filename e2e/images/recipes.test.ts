import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { baseOfImages, DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { docker } from '../../scripts/images/docker.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { type Block, blockOf, blocksOf, follow, GUIDE_KEY } from '../guide-commands.ts';
import { LABEL } from '../setup/images.ts';
import { untilHealthy } from './observe.ts';
import { NO_BROWSER, NO_KERNELS, Sandbox } from './sandbox.ts';

const KEYED = { SVC_API_KEY: GUIDE_KEY, ...NO_BROWSER, ...NO_KERNELS };
/** The address of the container's machine in the network of its engine. */
const BRIDGE = '172.17.0.1';

/** Runs the commands of the blocks. @returns what they print, and what stands below them */
async function followed(blocks: readonly Block[], url: string, directory: string): Promise<[string, string]> {
  const script = `export SANDBOX_URL=${url} SANDBOX_API_KEY=${GUIDE_KEY}\n${blocks.map(({ commands }) => commands).join('')}`;
  return [await follow(script, url, directory), blocks.map(({ printed }) => printed).join('')];
}

test.each([
  ['browser-agent', DAEMON_IMAGE],
  ['browser-agent', DESKTOP_IMAGE],
  ['computer-use', DESKTOP_IMAGE],
])('the commands of the recipe %s print what stands below them in %s', async (name, image) => {
  await using directory = await tempDir();
  await using sandbox = await Sandbox.start({ image, env: KEYED });
  await untilHealthy(sandbox);
  const [output, printed] = await followed(await blocksOf(name), sandbox.url, directory.path);
  expect(output).toBe(printed);
});

test('the commands of the recipe behind-tls print what stands below them, with its configuration of nginx', async () => {
  await using directory = await tempDir();
  await using sandbox = await Sandbox.start({ env: { ...KEYED, SVC_TRUSTED_PROXIES: BRIDGE } });
  expect(await blockOf('behind-tls', 'bash', 'docker run')).toContain(`SVC_TRUSTED_PROXIES=${BRIDGE}`);
  const port = await freePort();
  const here = (text: string): string =>
    text
      .replaceAll('https://sandbox.example.com', `https://localhost:${port}`)
      .replaceAll('sandbox.example.com', 'localhost');
  const [certificate, ...calls] = (await blocksOf('behind-tls')).map(({ commands, printed }) => ({
    commands: here(commands),
    printed,
  }));
  await followed(certificate ? [certificate] : [], sandbox.url, directory.path);
  await using _proxy = await nginx(here(await blockOf('behind-tls', 'nginx', 'server')), {
    port,
    upstream: new URL(sandbox.url).host,
    directory: directory.path,
  });
  const trust = certificate?.commands.match(/^export CURL_CA_BUNDLE.*\n/m)?.[0] ?? '';
  const waiting = `${trust}until curl -sfo /dev/null https://localhost:${port}/health; do sleep 0.1; done\n`;
  const [output, printed] = await followed([{ commands: waiting, printed: '' }, ...calls], sandbox.url, directory.path);
  expect(output).toBe(printed);
});

interface Place {
  readonly port: number;
  readonly upstream: string;
  /** Has the certificate and its key. */
  readonly directory: string;
}

/** Runs Debian's nginx with that configuration, in the network of this machine. */
async function nginx(configuration: string, { port, upstream, directory }: Place): Promise<AsyncDisposable> {
  const image = 'sandbox-nginx:e2e';
  const context = await mkdtemp(join(tmpdir(), 'nginx-'));
  const text = configuration.replace('listen 443', `listen 127.0.0.1:${port}`).replace('127.0.0.1:8080', upstream);
  await writeFile(join(context, 'sandbox.conf'), text);
  const install = 'apt-get update -qq && apt-get install -y -qq --no-install-recommends nginx-light';
  const dockerfile = [`FROM ${await baseOfImages()}`, `RUN ${install}`, 'RUN rm -f /etc/nginx/sites-enabled/*'];
  await writeFile(join(context, 'Dockerfile'), [...dockerfile, 'COPY sandbox.conf /etc/nginx/conf.d/'].join('\n'));
  await docker('buildx', 'build', '--load', '--tag', image, context);
  await rm(context, { recursive: true });
  const labels = Object.entries(LABEL).map(([name, value]) => `--label=${name}=${value}`);
  const keys = ['certificate.pem', 'key.pem'].map((file) => `--volume=${join(directory, file)}:/etc/nginx/${file}:ro`);
  const id = await docker('run', '--detach', '--network=host', ...labels, ...keys, image, 'nginx', '-g', 'daemon off;');
  return {
    [Symbol.asyncDispose]: async () => {
      await docker('rm', '--force', id);
    },
  };
}

test('an image on top of the daemon image, by the recipe own-image, has what was added', async () => {
  const image = 'sandbox-own:e2e';
  await using context = await tempDir();
  await writeFile(join(context.path, 'greet'), '#!/bin/sh\necho hello from greet\n');
  await writeFile(join(context.path, 'Dockerfile'), await blockOf('own-image', 'dockerfile', 'greet'));
  await docker('buildx', 'build', '--load', '--tag', image, context.path);
  try {
    await using sandbox = await Sandbox.start({ image, env: KEYED });
    expect((await sandbox.run('greet')).stdout).toBe('hello from greet\n');
  } finally {
    await docker('image', 'rm', '--force', image);
  }
});
