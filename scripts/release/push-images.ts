import { imageName, type Variant } from '../../program/src/product.ts';
import type { Architecture } from '../build/architecture.ts';
import { docker } from '../images/docker.ts';

/** An image of a release on this machine. */
export interface ReleasedImage {
  readonly variant: Variant;
  readonly architecture: Architecture;
  /** Its name here. */
  readonly local: string;
}

interface Pushing {
  /** Host, port and path, such as `registry.example/team`. */
  readonly registry: string;
  readonly version: string;
  readonly say: (line: string) => void;
}

/**
 * Pushes images of a release, each under its version and architecture, and an index of the version over them, which
 * also keeps the other architecture's image that was pushed before.
 * @throws Error with what docker says
 */
export async function pushImages(images: readonly ReleasedImage[], { registry, version, say }: Pushing): Promise<void> {
  for (const variant of new Set(images.map((image) => image.variant))) {
    const name = `${registry}/${imageName(variant)}:${version}`;
    for (const { architecture, local } of images.filter((image) => image.variant === variant)) {
      const own = `${name}-linux-${architecture}`;
      await docker('tag', local, own);
      await docker('push', '--quiet', own);
    }
    const there: string[] = [];
    for (const architecture of ['x64', 'arm64']) {
      const one = `${name}-linux-${architecture}`;
      if (await isThere(one)) there.push(one);
    }
    await docker('buildx', 'imagetools', 'create', '--tag', name, ...there);
    say(`${name}: ${await digestOf(name)}`);
  }
}

async function isThere(name: string): Promise<boolean> {
  return await digestOf(name).then(
    () => true,
    () => false,
  );
}

/** Of the index, as the registry has it. @throws Error if it has none */
async function digestOf(name: string): Promise<string> {
  const [, digest] = /^Digest: +(\S+)$/m.exec(await docker('buildx', 'imagetools', 'inspect', name)) ?? [];
  if (digest === undefined) throw new Error(`the registry tells no digest of ${name}`);
  return digest;
}
