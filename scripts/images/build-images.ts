import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../root.ts';
import { BASE, ensureBase } from './base.ts';
import { capture, docker, logged } from './docker.ts';
import { ensureEngine } from './engine.ts';
import { ensurePlugins } from './plugins.ts';

const LOG = join(ROOT, 'dist/images.log');

interface Image {
  readonly name: string;
  readonly target: string;
}

export const DAEMON_IMAGE = 'sandbox-daemon:local';
const IMAGES: readonly Image[] = [
  { name: DAEMON_IMAGE, target: 'daemon' },
  { name: 'sandbox-desktop:local', target: 'desktop' },
];

/**
 * Builds both images and provides the engine if needed. docker's output goes to a file.
 * @throws Error that names what is missing, or the log of a failed build
 */
export async function buildImages(say: (line: string) => void): Promise<void> {
  await mkdir(join(ROOT, 'dist'), { recursive: true });
  await writeFile(LOG, '');
  await ensureEngine(say);
  await ensurePlugins(say);
  const base = await ensureBase({ logFile: LOG, say });
  const labels = await buildArguments(base);
  for (const { name, target } of IMAGES) {
    const title = name.split(':')[0];
    const started = performance.now();
    say(`building ${name} on ${base} (log: ${LOG})`);
    await logged(
      [
        'docker',
        'buildx',
        'build',
        '--progress=plain',
        '--load',
        '--file',
        join(ROOT, 'images/Dockerfile'),
        ...labels,
      ].concat(['--target', target, '--tag', name, ROOT]),
      LOG,
    );
    const size = Number(await docker('image', 'inspect', '--format', '{{.Size}}', name));
    const took = ((performance.now() - started) / 1000).toFixed(1);
    // The previous image of this name would stay, unnamed, with its layers.
    await capture(['docker', 'image', 'prune', '--force', '--filter', `label=org.opencontainers.image.title=${title}`]);
    say(`${name}: ${(size / 1e9).toFixed(2)} GB, in ${took} s`);
  }
}

/** The base image of this machine. */
export function baseOfImages(): Promise<string> {
  return ensureBase({ logFile: LOG, say: () => {} });
}

async function buildArguments(base: string): Promise<string[]> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const { ok, stdout } = await capture(['git', '-C', ROOT, 'rev-parse', 'HEAD']);
  const args = [`VERSION=${version}`, `REVISION=${ok ? stdout.trim() : 'unknown'}`];
  if (base !== BASE) args.push(`BASE=${base}`);
  return args.flatMap((arg) => ['--build-arg', arg]);
}
