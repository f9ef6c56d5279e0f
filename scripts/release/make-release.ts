import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { makeBundle, packBundle } from '../bundle/make-bundle.ts';
import { buildImages, CORE_IMAGE, IMAGES } from '../images/build-images.ts';
import { capture, docker } from '../images/docker.ts';
import { secondsOfRevision } from '../images/labels.ts';
import { ROOT } from '../root.ts';
import { sha256Of } from '../sha256-of.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { provenanceOf, type Subject } from './provenance.ts';

interface ReleaseTerms {
  /** Whether the images are built and saved. */
  readonly images: boolean;
  readonly say: (line: string) => void;
}

interface Release {
  readonly directory: string;
  readonly version: string;
}

/** Names of the images in a release, by their local names. */
export const RELEASED = [...IMAGES, CORE_IMAGE].map(({ name, variant }) => ({ local: name, variant }));

/**
 * Makes all files of a release in `dist/release/VERSION`: bundle, client, OpenAPI documents, bill of materials,
 * changes, images of this machine's architecture, provenance and sums. Two runs of one commit have equal files, images
 * apart.
 * @throws Error if the checkout has changes, or with the output of the program that failed
 */
export async function makeRelease({ images, say }: ReleaseTerms): Promise<Release> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const revision = await revisionOfCleanCheckout();
  const seconds = await secondsOfRevision();
  const directory = join(ROOT, 'dist/release', version);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const bundle = await packBundle(await makeBundle(ROOT, join(ROOT, 'dist/bundle')), seconds);
  await copyFile(bundle, join(directory, basename(bundle)));
  say(basename(bundle));
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
  await writeFile(join(directory, `sandbox-${version}.cdx.json`), await billOfMaterials(ROOT, seconds));
  if (images) await saveImages(directory, version, say);
  const files = await subjectsOf(directory);
  const provenance = provenanceOf(files, { version, revision, seconds, node: process.version, images });
  await writeFile(join(directory, 'provenance.json'), `${JSON.stringify(provenance, undefined, 2)}\n`);
  const sums = (await subjectsOf(directory)).map(({ name, digest }) => `${digest.sha256}  ${name}\n`);
  await writeFile(join(directory, 'SHA256SUMS'), sums.join(''));
  return { directory, version };
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

/** For `docker load`; from Docker 25 on the archive is a layout of the Open Container Initiative too. */
async function saveImages(directory: string, version: string, say: (line: string) => void): Promise<void> {
  await buildImages(say, [...IMAGES, CORE_IMAGE]);
  for (const { local, variant } of RELEASED) {
    const name = `sandbox-${variant}:${version}`;
    const file = `sandbox-${variant}-${version}-linux-${process.arch}.tar`;
    await docker('tag', local, name);
    await docker('save', '--output', join(directory, file), name);
    say(file);
  }
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
