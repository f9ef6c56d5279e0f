import { mkdir, mkdtemp, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { capture } from '../images/docker.ts';
import { sha256Of } from '../sha256-of.ts';

/** The list of images in an archive of `docker save`; paths are relative to it. */
interface Saved {
  readonly Config: string;
  readonly Layers: readonly string[];
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const TYPE = 'application/vnd.oci.image';
const BLOBS = 'blobs/sha256';

/**
 * Makes an archive of `docker save` with one image a layout of the Open Container Initiative too, which tools for
 * images read and every engine loads. Equal images have equal archives, whatever engine saved them.
 * @param name of the image, with a tag, that a load gives to it
 * @param seconds the time of all its files, since 1970
 * @throws Error if the archive has another number of images, or with the output of tar
 */
export async function makeOciArchive(file: string, name: string, seconds: number): Promise<void> {
  const directory = await mkdtemp(join(dirname(file), '.archive-'));
  try {
    const [from, to] = [join(directory, 'saved'), join(directory, 'layout')];
    await mkdir(from);
    await tar(['-xf', file, '-C', from]);
    await layOut(from, to, name);
    const same = ['--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
    await tar([...same, '--mode=u=rwX,go=rX', '-C', to, '-cf', file, '.']);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function layOut(from: string, to: string, name: string): Promise<void> {
  const images: Saved[] = JSON.parse(await readFile(join(from, 'manifest.json'), 'utf8'));
  const [image] = images;
  if (image === undefined || images.length !== 1) throw new Error(`the archive has ${images.length} images, not one`);
  const { os, architecture } = JSON.parse(await readFile(join(from, image.Config), 'utf8'));
  await mkdir(join(to, BLOBS), { recursive: true });
  // An older engine has a link in the place of a layer that stands there twice.
  const sources = await Promise.all([image.Config, ...image.Layers].map((path) => realpath(join(from, path))));
  const kinds = ['config.v1+json', ...image.Layers.map(() => 'layer.v1.tar')];
  const parts: Descriptor[] = [];
  for (const [index, source] of sources.entries()) parts.push(await describe(source, `${TYPE}.${kinds[index]}`));
  for (const [index, source] of sources.entries()) {
    const digest = parts[index]?.digest ?? '';
    if (sources.indexOf(source) === index) await rename(source, join(to, pathOf(digest)));
  }
  const [config, ...layers] = parts;
  const manifest = join(to, 'manifest');
  await writeJson(manifest, { schemaVersion: 2, mediaType: `${TYPE}.manifest.v1+json`, config, layers });
  const described = await describe(manifest, `${TYPE}.manifest.v1+json`);
  await rename(manifest, join(to, pathOf(described.digest)));
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name.split(':').at(-1) };
  const manifests = [{ ...described, annotations, platform: { os, architecture } }];
  await writeJson(join(to, 'index.json'), { schemaVersion: 2, mediaType: `${TYPE}.index.v1+json`, manifests });
  await writeJson(join(to, 'oci-layout'), { imageLayoutVersion: '1.0.0' });
  const paths = parts.map(({ digest }) => pathOf(digest));
  await writeJson(join(to, 'manifest.json'), [{ Config: paths[0], RepoTags: [name], Layers: paths.slice(1) }]);
}

async function describe(file: string, mediaType: string): Promise<Descriptor> {
  return { mediaType, digest: `sha256:${await sha256Of(file)}`, size: (await stat(file)).size };
}

function pathOf(digest: string): string {
  return join(BLOBS, digest.slice('sha256:'.length));
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(file, JSON.stringify(value));
}

async function tar(options: readonly string[]): Promise<void> {
  const { ok, stderr } = await capture(['tar', ...options]);
  if (!ok) throw new Error(`tar: ${stderr.trim()}`);
}
