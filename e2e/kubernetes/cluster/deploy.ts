import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/root.ts';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { CLUSTER } from './cluster.ts';
import { kubectl } from './kubectl.ts';
import { KEY } from './pod.ts';

/** A copy of `deploy/kubernetes` with what a reader of `docs/kubernetes.md` replaces: the image and the key. */
export async function ownDeployment() {
  const directory = await tempDir();
  await cp(join(ROOT, 'deploy/kubernetes'), directory.path, { recursive: true });
  const colon = CLUSTER.image.lastIndexOf(':');
  const [name, tag] = [CLUSTER.image.slice(0, colon), CLUSTER.image.slice(colon + 1)];
  for (const file of await readdir(directory.path, { recursive: true })) {
    if (!file.endsWith('kustomization.yaml')) continue;
    await change(join(directory.path, file), (text) =>
      text
        .replaceAll(/newName: .*/g, `newName: ${name}`)
        .replaceAll(/newTag: .*/g, `newTag: ${tag}`)
        .replace('api-key=change-me', `api-key=${KEY}`),
    );
  }
  return directory;
}

export async function change(path: string, edit: (text: string) => string): Promise<void> {
  await writeFile(path, edit(await readFile(path, 'utf8')));
}

export async function applyDirectory(namespace: string, path: string): Promise<string> {
  return await kubectl(['-n', namespace, 'apply', '-k', path]);
}
