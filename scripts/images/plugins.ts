import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mayInstall } from '../test-all/need.ts';
import { trixieSources } from './debian-archive.ts';
import { capture } from './docker.ts';

const DIRECTORY = '/usr/local/lib/docker/cli-plugins';

/** A command of the docker client without a package in Debian 12; Debian 13's runs there too. */
interface Plugin {
  readonly name: 'buildx' | 'compose';
  readonly package: string;
}

const PLUGINS: readonly Plugin[] = [
  { name: 'buildx', package: 'docker-buildx' },
  { name: 'compose', package: 'docker-compose' },
];

/**
 * Ensures that `docker buildx` and `docker compose` exist: root on Debian installs those of Debian 13.
 * @throws Error with the remedy if one is not available
 */
export async function ensurePlugins(say: (line: string) => void): Promise<void> {
  for (const plugin of PLUGINS) {
    if (await isThere(plugin)) continue;
    if (!mayInstall()) throw new Error(`docker ${plugin.name} is missing: install it, or run this as root on Debian`);
    say(`docker ${plugin.name} is missing: getting Debian 13's ${plugin.package} into ${DIRECTORY}`);
    await install(plugin);
    if (!(await isThere(plugin))) throw new Error(`docker ${plugin.name} cannot be run from ${DIRECTORY}`);
  }
}

async function isThere({ name }: Plugin): Promise<boolean> {
  return (await capture(['docker', name, 'version'])).ok;
}

/** The package's binary without its dependencies: an engine exists already. */
async function install({ name, package: packageName }: Plugin): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'docker-plugin-'));
  try {
    const apt = await aptOfItsOwn(directory);
    await must([...apt, '-qq', 'update'], directory);
    await must([...apt, '-qq', 'download', packageName], directory);
    const deb = (await readdir(directory)).find((file) => file.endsWith('.deb')) ?? '';
    await must(['dpkg', '-x', join(directory, deb), join(directory, 'files')], directory);
    const files = await readdir(join(directory, 'files'), { recursive: true });
    const binary = files.find((file) => file.endsWith(`cli-plugins/docker-${name}`));
    if (binary === undefined) throw new Error(`${packageName} has no plugin in it`);
    await mkdir(DIRECTORY, { recursive: true });
    await copyFile(join(directory, 'files', binary), join(DIRECTORY, `docker-${name}`));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** apt-get with its own lists and cache, so that this machine's sources stay unchanged. */
async function aptOfItsOwn(directory: string): Promise<string[]> {
  const sources = join(directory, 'sources.list');
  await mkdir(join(directory, 'lists/partial'), { recursive: true });
  await mkdir(join(directory, 'cache/archives/partial'), { recursive: true });
  await writeFile(sources, `${(await trixieSources())[0]}\n`);
  const options = {
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(directory, 'lists'),
    'Dir::Cache': join(directory, 'cache'),
    'APT::Sandbox::User': 'root',
  };
  return ['apt-get', ...Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`])];
}

async function must(command: readonly string[], directory: string): Promise<void> {
  const { ok, stderr } = await capture(['env', '-C', directory, ...command]);
  if (!ok) throw new Error(`${command[0]} failed: ${stderr.trim()}`);
}
