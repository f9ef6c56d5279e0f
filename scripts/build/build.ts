import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { explorerAssets } from '../../daemon/src/explorer/explorer-assets.ts';
import { PAGE_NAMES, pageAssets } from '../../gateway/src/apps/page-assets.ts';
import { bundleApp, bundleTerminalOutput } from './app-page.ts';
import { bundle, type Program } from './bundle.ts';
import { bundleAlone } from './bundle-alone.ts';
import { COMMAND_LINE } from './command-line.ts';
import { inputsDigest } from './inputs.ts';

/** The daemon, the gateway and the workers of the daemon. */
export const SERVICES: readonly Program[] = [
  { name: 'sandboxd', main: 'daemon/src/main.ts' },
  { name: 'gateway', main: 'gateway/src/main.ts' },
  { name: 'screen-worker', main: 'daemon/src/capabilities/pty/screen/screen-worker.ts' },
  { name: 'transform-worker', main: 'daemon/src/capabilities/code/node/transform/transform-worker.ts' },
  { name: 'process-worker', main: 'daemon/src/capabilities/system/processes/process-worker.ts' },
];
const PROGRAMS: readonly Program[] = [
  ...SERVICES,
  { name: 'browser-mcp', main: 'browser-mcp/src/main.ts' },
  { name: 'computer-use', main: 'computer-use/src/main.ts' },
];

interface Stamp {
  readonly digest: string;
  readonly files: readonly string[];
}

export interface BuildOptions {
  readonly programs?: readonly Program[];
  /** Programs without shared parts. */
  readonly alone?: readonly Program[];
  readonly outDir?: string;
  /** Copied beside the programs; a name may contain a directory. */
  readonly assets?: readonly Asset[];
  /** Called before something is built. */
  readonly onStart?: () => void;
}

interface Asset {
  readonly name: string;
  readonly path: string;
}

/** Assets of the gateway and of the daemon's explorer. */
function pages(): Asset[] {
  const ofGateway = PAGE_NAMES.flatMap((page) =>
    pageAssets(page).map(({ name, path }) => ({ name: `pages/${page}/${name}`, path })),
  );
  return [...ofGateway, ...explorerAssets().map(({ name, path }) => ({ name: `pages/explorer/${name}`, path }))];
}

/**
 * Bundles the programs if their inputs have changed since the last build.
 * @returns whether anything was written
 */
export async function build(root: string, options: BuildOptions = {}): Promise<boolean> {
  const { programs = PROGRAMS, outDir = join(root, 'dist') } = options;
  const { assets = [], alone = programs === PROGRAMS ? [COMMAND_LINE] : [] } = options;
  const stampFile = join(outDir, '.build.json');
  const digest = await inputsDigest(root);
  const last = await readStamp(stampFile);
  if (last?.digest === digest && (await allThere(outDir, last.files))) return false;
  options.onStart?.();
  await mkdir(outDir, { recursive: true });
  await rm(stampFile, { force: true });
  const ofPages = programs === PROGRAMS ? await writePages(root, outDir) : [];
  const files = [...(await bundle(root, programs, outDir)), ...(await copyAll(assets, outDir)), ...ofPages];
  for (const program of alone) files.push(...(await bundleAlone(root, program, outDir)));
  await removeChunks(outDir, new Set([...files, ...(last?.files ?? [])]));
  await writeFile(stampFile, JSON.stringify({ digest, files } satisfies Stamp));
  return true;
}

/** Writes the pages of the services. @returns the files written, relative to `outDir` */
export async function writePages(root: string, outDir: string): Promise<string[]> {
  const app = [...(await bundleApp(root, outDir)), await bundleTerminalOutput(root, outDir)];
  return [...app, ...(await copyAll(pages(), outDir))];
}

async function copyAll(assets: readonly Asset[], outDir: string): Promise<string[]> {
  for (const { name, path } of assets) {
    await mkdir(dirname(join(outDir, name)), { recursive: true });
    await copyFile(path, join(outDir, name));
  }
  return assets.map(({ name }) => name);
}

async function readStamp(file: string): Promise<Stamp | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Stamp;
  } catch {
    return undefined;
  }
}

async function allThere(outDir: string, files: readonly string[]): Promise<boolean> {
  const found = await Promise.allSettled(files.map((file) => stat(join(outDir, file))));
  return found.every(({ status }) => status === 'fulfilled');
}

/** Keeps the chunks of the last build: a running service may still import one of them. */
async function removeChunks(outDir: string, kept: ReadonlySet<string>): Promise<void> {
  const chunks = await readdir(join(outDir, 'chunks')).catch(() => []);
  const stale = chunks.map((name) => join('chunks', name)).filter((file) => !kept.has(file));
  await Promise.all(stale.map((file) => rm(join(outDir, file), { force: true })));
}
