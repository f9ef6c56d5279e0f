import process from 'node:process';
import { docker } from '../images/docker.ts';
import { RELEASED } from './make-release.ts';

/**
 * Pushes the images of a release, each under its version and architecture, and an index of the version over it.
 * @param registry host, port and path, such as `registry.example/team`
 * @throws Error with what docker says
 */
export async function pushImages(registry: string, version: string, say: (line: string) => void): Promise<void> {
  for (const { variant } of RELEASED) {
    const name = `${registry}/sandbox-${variant}:${version}`;
    const own = `${name}-linux-${process.arch}`;
    await docker('tag', `sandbox-${variant}:${version}`, own);
    await docker('push', '--quiet', own);
    // Images of other architectures that were pushed before belong to the index too.
    const others = ['x64', 'arm64'].map((arch) => `${name}-linux-${arch}`).filter((other) => other !== own);
    const pushed = [own];
    for (const other of others) if (await isThere(other)) pushed.push(other);
    await docker('buildx', 'imagetools', 'create', '--tag', name, ...pushed);
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
