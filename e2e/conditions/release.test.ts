import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { expect, test } from 'vitest';
import { ARCHITECTURES, OWN } from '../../scripts/build/architecture.ts';
import { CORE_IMAGE } from '../../scripts/images/build-images.ts';
import { capture, docker } from '../../scripts/images/docker.ts';
import { documentedImage } from '../../scripts/images/image-names.ts';
import { makeOciArchive } from '../../scripts/release/oci-archive.ts';
import { pushImages } from '../../scripts/release/push-images.ts';
import { ROOT } from '../../scripts/root.ts';
import { sha256Of } from '../../scripts/sha256-of.ts';
import { debianProgram, mayInstall, unmet } from '../../scripts/test-all/need.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { follow } from '../guide-commands.ts';
import { LABEL } from '../setup/images.ts';

const PROGRAMS = [
  debianProgram('docker-registry', 'images are pushed to one on this machine'),
  debianProgram('skopeo', 'it reads archives of images'),
];
const START_MS = 60_000;
/** For a test that pushes or saves an image of half a gigabyte, in milliseconds. */
const TEST_MS = 600_000;

interface Registry extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
}

/** A registry on loopback that keeps what it gets in a directory. */
async function startRegistry(directory: string): Promise<Registry> {
  const address = `127.0.0.1:${await freePort()}`;
  const file = join(directory, 'registry.yml');
  const storage = { filesystem: { rootdirectory: join(directory, 'registry') }, delete: { enabled: true } };
  await writeFile(file, JSON.stringify({ version: 0.1, log: { level: 'error' }, storage, http: { addr: address } }));
  const child = spawn('docker-registry', ['serve', file], { stdio: 'ignore' });
  const answers = (): Promise<boolean> =>
    fetch(`http://${address}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await pollUntil(answers, { everyMs: 100, ms: START_MS });
  return {
    address,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** The commands of the README that start a container and run the first command in it, for an image and a port. */
async function firstCommands(image: string, port: number): Promise<{ readonly start: string; readonly call: string }> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, start = ''] = /^(docker run (?:[^\n]*\\\n)*[^\n]*)$/m.exec(readme) ?? [];
  const [, call = ''] = /```sh\n(export SANDBOX_URL=[^`]*)```/.exec(readme) ?? [];
  expect(start).toContain(documentedImage('daemon'));
  return {
    start: start
      .replace(documentedImage('daemon'), image)
      .replace('--name sandbox', `--label '${Object.entries(LABEL)[0]?.join('=')}'`)
      .replace('images/seccomp.json', join(ROOT, 'images/seccomp.json'))
      .replace('127.0.0.1:8080:', `127.0.0.1:${port}:`),
    call,
  };
}

test(
  'the README starts the image of a registry, pushed as a release and pulled by its digest',
  async () => {
    expect(await unmet(PROGRAMS, mayInstall())).toEqual([]);
    await using directory = await tempDir();
    await using registry = await startRegistry(directory.path);
    const said: string[] = [];
    const images = [{ variant: 'core', architecture: OWN, local: CORE_IMAGE.name }] as const;
    const pushing = { registry: `${registry.address}/team`, version: '0.0.1', say: (line: string) => said.push(line) };
    await pushImages(images, pushing);
    const [name = '', digest = ''] = said.join().split(': ');
    expect(said).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+\/team\/sandbox-core:0\.0\.1: sha256:[0-9a-f]{64}$/),
    ]);
    await docker('image', 'rm', `${name}-linux-${OWN}`);
    const pulled = `${name.replace(/:[^:]*$/, '')}@${digest}`;
    await docker('pull', '--quiet', pulled);
    const port = await freePort();
    const { start, call } = await firstCommands(pulled, port);
    const url = `http://127.0.0.1:${port}`;
    const id = (await follow(start, url, directory.path)).trim();
    try {
      const health = (): Promise<string> => docker('inspect', '--format', '{{.State.Health.Status}}', id);
      await pollUntil(async () => (await health()) === 'healthy', { everyMs: 500, ms: START_MS });
      const calls = call.replace('PATH=$PATH:$PWD/', `PATH=$PATH:${ROOT}/`);
      expect(await follow(calls, url, directory.path)).toBe('hello\nLinux\n');
    } finally {
      await docker('rm', '--force', '--volumes', id);
      await docker('image', 'rm', pulled);
    }
  },
  TEST_MS,
);

test(
  'an archive of an image is loaded by the engine and read by other tools, and is the same again',
  async () => {
    expect(await unmet(PROGRAMS, mayInstall())).toEqual([]);
    await using directory = await tempDir();
    const name = 'sandbox-archived:0.0.1';
    const files = ['one.tar', 'two.tar'].map((file) => join(directory.path, file));
    for (const file of files) {
      await docker('save', '--output', file, CORE_IMAGE.name);
      await makeOciArchive(file, name, 1);
    }
    const [one = '', two = ''] = files;
    expect(await sha256Of(one)).toBe(await sha256Of(two));
    expect(await docker('load', '--quiet', '--input', one)).toContain(`Loaded image: ${name}`);
    try {
      const id = (image: string): Promise<string> => docker('image', 'inspect', '--format', '{{.Id}}', image);
      expect(await id(name)).toBe(await id(CORE_IMAGE.name));
    } finally {
      await docker('image', 'rm', name);
    }
    const { ok, stdout } = await capture(['skopeo', 'inspect', '--config', `oci-archive:${one}`]);
    expect([ok, JSON.parse(stdout)]).toEqual([
      true,
      expect.objectContaining({ os: 'linux', architecture: ARCHITECTURES[OWN].debian }),
    ]);
  },
  TEST_MS,
);
