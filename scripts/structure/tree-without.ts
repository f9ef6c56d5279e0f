import { cp, glob, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { trackedFiles } from './tracked-files.ts';

/** What a copy leaves out and changes. */
interface Removal {
  readonly isRemoved: (file: string) => boolean;
  /** The text of a file that is changed; undefined: it is copied as it is. */
  readonly change: (file: string) => ((source: string) => string) | undefined;
}

const MANIFEST = /^daemon\/src\/capabilities\/[^/]+\/index\.ts$/;

/** A manifest without its entry `v1:` and the import for it. */
export function manifestWithoutV1(source: string): string {
  return source.replaceAll(/^import .* from '\.\/v1\/.*';\n/gm, '').replaceAll(/^ {2}v1: .*,\n/gm, '');
}

/** The list of protocols without its entries. */
export function listWithoutProtocols(source: string): string {
  return source.replaceAll(/^import .*;\n/gm, '').replace(/= \[[^\]]*\] as const;/, '= [] as const;');
}

/** Copies the tracked files of a checkout without the daemon's `v1/` folders and the manifests' references to them. */
export function copyWithoutV1(root: string, target: string): Promise<void> {
  return copyWithout(root, target, {
    isRemoved: (file) => /^daemon\/src\/.*\/v1\//.test(file),
    change: (file) => (MANIFEST.test(file) ? manifestWithoutV1 : undefined),
  });
}

/** Copies the tracked files of a checkout without the folders of the protocols and what is listed of them. */
export function copyWithoutProtocols(root: string, target: string): Promise<void> {
  return copyWithout(root, target, {
    isRemoved: (file) =>
      /^daemon\/src\/protocols\/[^/]+\//.test(file) ||
      /^e2e\/(?:clients\/(?:(?:agents|cloudflare|e2b|swe-rex)\/|recipes\.)|scenarios\/e2b\.)/.test(file),
    change: (file) => (file === 'daemon/src/protocols/index.ts' ? listWithoutProtocols : undefined),
  });
}

async function copyWithout(root: string, target: string, { isRemoved, change }: Removal): Promise<void> {
  for (const file of (await trackedFiles()).filter((one) => !isRemoved(one))) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    const changed = change(file);
    if (changed) await writeFile(join(target, file), changed(await readFile(join(root, file), 'utf8')));
    else await cp(join(root, file), join(target, file), { verbatimSymlinks: true });
  }
  await copyKeepers(root, target);
  await linkPackages(root, target);
}

/** Its sources are the same, so that it need not be compiled again. */
async function copyKeepers(root: string, target: string): Promise<void> {
  await mkdir(join(target, 'dist'));
  for await (const file of glob('dist/{,.}keeper*', { cwd: root })) await cp(join(root, file), join(target, file));
}

/** Links the checkout's packages and the copy's own workspaces. */
async function linkPackages(root: string, target: string): Promise<void> {
  const [modules, scope] = [join(target, 'node_modules'), join(target, 'node_modules/@sandbox')];
  await mkdir(scope, { recursive: true });
  const names = await readdir(join(root, 'node_modules'));
  for (const name of names.filter((entry) => entry !== '@sandbox' && !/^\.(?!bin$)/.test(entry))) {
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  for (const workspace of await readdir(join(root, 'node_modules/@sandbox'))) {
    await symlink(join(target, workspace), join(scope, workspace));
  }
}
