import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageName, type Variant } from '../../program/src/product.ts';
import { ARCHITECTURES, type Architecture, OWN } from '../build/architecture.ts';
import { ROOT } from '../root.ts';
import { BASE, ensureBase } from './base.ts';
import { capture, docker, logged } from './docker.ts';
import { ensureEmulation } from './emulation.ts';
import { ensureEngine } from './engine.ts';
import { dockerfileFor } from './health-check.ts';
import { localImage } from './image-names.ts';
import { labelArguments } from './labels.ts';
import { ensurePlugins } from './plugins.ts';

const LOGS = join(ROOT, 'dist/images');
/** Logs that are kept, so that one of a build without a cache outlives some of builds with one. */
const KEPT_LOGS = 20;

export interface Image {
  readonly name: string;
  readonly variant: Variant;
}

export const DAEMON_IMAGE = localImage('daemon');
export const DESKTOP_IMAGE = localImage('desktop');
export const IMAGES: readonly Image[] = [
  { name: DAEMON_IMAGE, variant: 'daemon' },
  { name: DESKTOP_IMAGE, variant: 'desktop' },
];
/** Without browser, display, editors and compilers; built on request and for the tests. */
export const CORE_IMAGE: Image = { name: localImage('core'), variant: 'core' };
/** With the data layer; built on request only. */
export const DATA_IMAGE: Image = { name: localImage('data'), variant: 'data' };

/**
 * Builds images and provides the engine if needed, and the emulation of another architecture. docker's output goes to
 * a file.
 * @throws Error that names what is missing, or the log of a failed build
 */
export async function buildImages(
  say: (line: string) => void,
  images: readonly Image[] = IMAGES,
  architecture: Architecture = OWN,
): Promise<void> {
  const log = await newLog();
  await ensureEngine(say);
  await ensurePlugins(say);
  await ensureEmulation(architecture, say);
  const base = await ensureBase({ logFile: log, say, architecture });
  const labels = await buildArguments(base);
  const dockerfile = await writeDockerfile();
  const platform = `linux/${ARCHITECTURES[architecture].debian}`;
  for (const { name: own, variant } of images) {
    const name = nameFor(own, architecture);
    const title = imageName(variant);
    const started = performance.now();
    say(`building ${name} on ${base} (log: ${log})`);
    await logged(
      ['docker', 'buildx', 'build', '--progress=plain', '--load', '--file', dockerfile, ...labels].concat([
        '--build-arg',
        `VARIANT=${variant}`,
        '--target',
        'image',
        '--platform',
        platform,
        '--tag',
        name,
        ROOT,
      ]),
      log,
    );
    const size = Number(await docker('image', 'inspect', '--format', '{{.Size}}', name));
    const took = ((performance.now() - started) / 1000).toFixed(1);
    // The previous image of this name would stay, unnamed, with its layers.
    await capture(['docker', 'image', 'prune', '--force', '--filter', `label=org.opencontainers.image.title=${title}`]);
    say(`${name}: ${(size / 1e9).toFixed(2)} GB, in ${took} s`);
  }
}

/** The name of an image for another architecture, beside the one of this machine. */
export function nameFor(name: string, architecture: Architecture): string {
  return architecture === OWN ? name : `${name}-${architecture}`;
}

/** The base image of this machine. */
export async function baseOfImages(): Promise<string> {
  return ensureBase({ logFile: await newLog(), say: () => {} });
}

/** A log file named after the time; the oldest ones are removed. */
async function newLog(): Promise<string> {
  await mkdir(LOGS, { recursive: true });
  const old = (await readdir(LOGS)).filter((name) => name.endsWith('.log')).sort();
  for (const name of old.slice(0, -KEPT_LOGS)) await rm(join(LOGS, name));
  const log = join(LOGS, `${new Date().toISOString().replaceAll(':', '-')}.log`);
  await writeFile(log, '');
  return log;
}

async function buildArguments(base: string): Promise<string[]> {
  const labels = await labelArguments(base);
  const args = base === BASE ? labels : { ...labels, BASE: base };
  return Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
}

/** Writes the Dockerfile for this machine's engine. */
async function writeDockerfile(): Promise<string> {
  const engine = await docker('version', '--format', '{{.Server.Version}}');
  const file = join(LOGS, 'Dockerfile');
  await writeFile(file, dockerfileFor(engine, await readFile(join(ROOT, 'images/Dockerfile'), 'utf8')));
  return file;
}
