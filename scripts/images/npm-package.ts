import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from './docker.ts';

/** A package outside the lockfile. */
interface Pinned {
  /** `name@version` */
  readonly name: string;
  /** In npm's form: `sha512-` and base64. */
  readonly integrity: string;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

/**
 * Downloads a package of the lockfile that is not installed here, in its version and with its digest.
 * @returns the new directory
 * @throws Error if it is not available, not in the lockfile, or has another digest
 */
export async function unpackLocked(root: string, name: string, target: string): Promise<string> {
  const { packages }: Lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const { version, integrity } = packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined) throw new Error(`the lockfile has no ${name}`);
  await unpackNpmPackage({ name: `${name}@${version}`, integrity }, target);
  return target;
}

/**
 * Downloads one package from the registry and unpacks it into a new directory.
 * @throws Error if it is not available or has another digest
 */
export async function unpackNpmPackage({ name, integrity }: Pinned, target: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'npm-package-'));
  try {
    const { ok, stdout, stderr } = await capture(['npm', 'pack', '--json', '--pack-destination', directory, name]);
    if (!ok) throw new Error(`npm pack ${name}: ${stderr.trim()}`);
    const [packed] = JSON.parse(stdout) as { filename: string }[];
    const file = join(directory, packed?.filename ?? '');
    const found = `sha512-${createHash('sha512')
      .update(await readFile(file))
      .digest('base64')}`;
    if (found !== integrity) throw new Error(`${name} is not the package that was expected: ${found}`);
    await mkdir(target, { recursive: true });
    const unpacked = await capture(['tar', '-xzf', file, '--strip-components=1', '-C', target]);
    if (!unpacked.ok) throw new Error(`${name} cannot be unpacked: ${unpacked.stderr.trim()}`);
  } finally {
    await rm(directory, { recursive: true });
  }
}
