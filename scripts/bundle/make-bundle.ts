import { chmod, copyFile, glob, mkdir, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { VERSION } from '../../api/src/version.ts';
import { PRODUCT } from '../../program/src/product.ts';
import { buildAddons } from '../build/addons.ts';
import { type Architecture, compilerFor, OWN } from '../build/architecture.ts';
import { SERVICES, writePages } from '../build/build.ts';
import { bundle } from '../build/bundle.ts';
import { bundleAlone } from '../build/bundle-alone.ts';
import { COMMAND_LINE } from '../build/command-line.ts';
import { buildInit } from '../build/init.ts';
import { buildKeeper, KEEPER } from '../build/keeper.ts';
import { capture } from '../images/docker.ts';
import { unpackLocked } from '../images/npm-package.ts';

const LAUNCHER = { name: 'serve', main: 'scripts/serve/bundled.ts' };
/** Needs no C library of the system that it runs on. */
const STATIC_KEEPER = { ...KEEPER, flags: [...KEEPER.flags, '-static-pie'] };

/** The only entry of an archive, so that `ADD` of a Dockerfile to `/opt` makes `/opt/svc`. */
const DIRECTORY = 'svc';

/**
 * Writes the services, their launcher, the command line, the keeper and Node to one directory, which runs at any place
 * (docs/embedding.md).
 * @param outDir is emptied
 * @param architecture of the machines that run it; for one that is not this machine's, `crossCompiler` is needed
 * @returns the directory, which becomes `/opt/svc`
 * @throws Error if there is no C compiler, or no Node of the lockfile for that architecture
 */
export async function makeBundle(root: string, outDir: string, architecture: Architecture = OWN): Promise<string> {
  const compiler = compilerFor(architecture);
  const directory = join(outDir, DIRECTORY);
  const product = join(directory, 'product');
  await rm(outDir, { recursive: true, force: true });
  await mkdir(join(directory, 'bin'), { recursive: true });
  await bundle(root, [...SERVICES, LAUNCHER], product);
  await bundleAlone(root, COMMAND_LINE, product);
  await writePages(root, product);
  if ((await buildKeeper(root, { ...STATIC_KEEPER, compiler }, product)) !== 'built')
    throw new Error('no C compiler for the keeper');
  await buildAddons(root, product, compiler);
  await buildInit(root, join(directory, 'bin/sandbox'), compiler);
  const node =
    architecture === OWN ? nodeOf(root) : await unpackLocked(root, `node-linux-${architecture}`, join(outDir, 'node'));
  await copyFile(join(node, 'bin/node'), join(directory, 'bin/node'));
  await copyFile(join(node, 'LICENSE'), join(directory, 'LICENSE.node'));
  if (architecture !== OWN) await rm(node, { recursive: true });
  await copyFile(join(root, 'LICENSE'), join(directory, 'LICENSE'));
  await chmod(join(directory, 'bin/node'), 0o755);
  for await (const file of glob('**/*.map', { cwd: product })) await rm(join(product, file));
  await removeHidden(product);
  await removeHidden(join(directory, 'bin'));
  return directory;
}

/** What the compilers note beside their programs. */
async function removeHidden(directory: string): Promise<void> {
  for (const file of await readdir(directory)) if (file.startsWith('.')) await rm(join(directory, file));
}

/** The directory of the package that has Node. @throws Error if it is not installed */
function nodeOf(root: string): string {
  const manifest = `node-linux-${process.arch}/package.json`;
  return dirname(createRequire(join(root, 'package.json')).resolve(manifest));
}

/**
 * Packs a bundle into `sandbox-VERSION-linux-ARCHITECTURE.tar.gz` beside its directory. Equal bundles have equal archives.
 * @param seconds the time of all its files, since 1970
 * @param architecture that it was made for
 * @throws Error with the output of the program that failed
 */
export async function packBundle(
  directory: string,
  seconds: number,
  architecture: Architecture = OWN,
): Promise<string> {
  const name = `${PRODUCT.name}-${VERSION}-linux-${architecture}`;
  const file = join(dirname(directory), `${name}.tar.gz`);
  const same = ['--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  const command = ['tar', ...same, '--use-compress-program=gzip -6n', '-C', dirname(directory), '-cf', file, DIRECTORY];
  const { ok, stderr } = await capture(command);
  if (!ok) throw new Error(`tar: ${stderr.trim()}`);
  return file;
}
