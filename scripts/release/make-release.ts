import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { imageName, PRODUCT } from '../../program/src/product.ts';
import { crossCompiler, OTHER, OWN } from '../build/architecture.ts';
import { makeBundle, packBundle } from '../bundle/make-bundle.ts';
import { buildImages, CORE_IMAGE, IMAGES, type Image, nameFor } from '../images/build-images.ts';
import { capture, docker } from '../images/docker.ts';
import { ensureEmulation } from '../images/emulation.ts';
import { secondsOfRevision } from '../images/labels.ts';
import { ROOT } from '../root.ts';
import { sha256Of } from '../sha256-of.ts';
import { mayInstall, unmet } from '../test-all/need.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { makeOciArchive } from './oci-archive.ts';
import { provenanceOf, type Subject } from './provenance.ts';
import type { ReleasedImage } from './push-images.ts';
import { scan } from './scan.ts';

interface ReleaseTerms {
  /** Whether the images are built and saved. */
  readonly images: boolean;
  /** Variants whose images are also built for the other architecture, under emulation. */
  readonly emulated: readonly string[];
  readonly say: (line: string) => void;
}

interface Release {
  readonly directory: string;
  readonly version: string;
  /** The images that it has. */
  readonly images: readonly ReleasedImage[];
}

export const RELEASED: readonly Image[] = [...IMAGES, CORE_IMAGE];

/**
 * Makes all files of a release in `dist/release/VERSION`: bundle, client, OpenAPI documents, bill of materials,
 * changes, images, provenance and sums. Bundle and images are those of this machine's architecture, and those of the
 * other one where a compiler and an emulation for it can be had. Two runs of one commit have equal files, images apart.
 * @throws Error if the checkout has changes, or with the output of the program that failed
 */
export async function makeRelease({ images, emulated, say }: ReleaseTerms): Promise<Release> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const revision = await revisionOfCleanCheckout();
  const seconds = await secondsOfRevision();
  const directory = join(ROOT, 'dist/release', version);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await addBundles(directory, seconds, say);
  const npm = ['pack', '--silent', '--workspace', 'clients/typescript', '--pack-destination', directory];
  await run(['npm', ...npm], { SOURCE_DATE_EPOCH: String(seconds) });
  for (const surface of ['v1', 'v2']) {
    await copyFile(join(ROOT, `docs/openapi/${surface}.json`), join(directory, `openapi-${surface}-${version}.json`));
  }
  for (const file of ['LICENSE', 'NOTICE']) await copyFile(join(ROOT, file), join(directory, file));
  await writeFile(
    join(directory, 'CHANGES.md'),
    changesOf(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'), version),
  );
  const bill = join(directory, `${PRODUCT.name}-${version}.cdx.json`);
  await writeFile(bill, await billOfMaterials(ROOT, seconds));
  await scan({ root: ROOT, bill, tools: join(ROOT, 'dist/tools') }, say);
  const saved = images ? await saveImages({ directory, version, seconds, emulated, say }) : [];
  const files = await subjectsOf(directory);
  const provenance = provenanceOf(files, { version, revision, seconds, node: process.version, images });
  await writeFile(join(directory, 'provenance.json'), `${JSON.stringify(provenance, undefined, 2)}\n`);
  const sums = (await subjectsOf(directory)).map(({ name, digest }) => `${digest.sha256}  ${name}\n`);
  await writeFile(join(directory, 'SHA256SUMS'), sums.join(''));
  return { directory, version, images: saved };
}

/** The changes of a version; those that are not released yet if it has no heading. @throws Error if there are none */
export function changesOf(changelog: string, version: string): string {
  for (const name of [version, 'Unreleased']) {
    const [, text] = changelog.split(new RegExp(`^## \\[${name.replaceAll('.', '\\.')}\\].*$`, 'm'));
    if (text !== undefined) return `# Changes of ${version}\n${text.split(/^## /m, 1)[0]}`;
  }
  throw new Error(`CHANGELOG.md has neither ${version} nor Unreleased`);
}

async function revisionOfCleanCheckout(): Promise<string> {
  const changes = (await run(['git', 'status', '--porcelain'])).trim();
  if (changes !== '') throw new Error(`commit or remove the changes of the checkout first:\n${changes}`);
  return (await run(['git', 'rev-parse', 'HEAD'])).trim();
}

/** One for this machine, and one for the other architecture if a compiler for it is there or can be installed. */
async function addBundles(directory: string, seconds: number, say: (line: string) => void): Promise<void> {
  const [missing] = await unmet([crossCompiler(OTHER)], mayInstall());
  if (missing) say(`the bundle for ${OTHER} was left out: ${missing.name} is missing`);
  for (const architecture of missing ? [OWN] : [OTHER, OWN]) {
    const made = await makeBundle(ROOT, join(ROOT, 'dist/bundle'), architecture);
    const bundle = await packBundle(made, seconds, architecture);
    await copyFile(bundle, join(directory, basename(bundle)));
    say(basename(bundle));
  }
}

interface Archives {
  readonly directory: string;
  readonly version: string;
  /** The time of their files, since 1970. */
  readonly seconds: number;
  readonly emulated: readonly string[];
  readonly say: (line: string) => void;
}

/** Builds the images and saves each as an archive for `docker load` and for tools that read layouts of OCI. */
async function saveImages({ directory, version, seconds, emulated, say }: Archives): Promise<ReleasedImage[]> {
  const saved: ReleasedImage[] = [];
  const others = RELEASED.filter(({ variant }) => emulated.includes(variant));
  const left = await ensureEmulation(others.length === 0 ? OWN : OTHER, say).then(() => undefined, messageOf);
  if (left !== undefined) say(`the images for ${OTHER} were left out: ${left}`);
  const builds = [[OWN, RELEASED] as const, ...(left === undefined ? [[OTHER, others] as const] : [])];
  for (const [architecture, images] of builds) {
    if (images.length > 0) await buildImages(say, images, architecture);
    for (const { name: local, variant } of images) {
      const name = `${imageName(variant)}:${version}`;
      const file = join(directory, `${imageName(variant)}-${version}-linux-${architecture}.tar`);
      if (architecture === OWN) await docker('tag', local, name);
      await docker('save', '--output', file, nameFor(local, architecture));
      await makeOciArchive(file, name, seconds);
      say(basename(file));
      saved.push({ variant, architecture, local: nameFor(local, architecture) });
    }
  }
  return saved;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function subjectsOf(directory: string): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const name of (await readdir(directory)).toSorted()) {
    subjects.push({ name, digest: { sha256: await sha256Of(join(directory, name)) } });
  }
  return subjects;
}

/** Standard output. @throws Error with its output of errors if it does not exit 0 */
async function run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { ok, stdout, stderr } = await capture(['env', '-C', ROOT, ...command], env);
  if (!ok) throw new Error(`${command.slice(0, 2).join(' ')}: ${stderr.trim()}`);
  return stdout;
}
