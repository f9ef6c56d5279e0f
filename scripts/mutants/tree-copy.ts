import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../root.ts';
import { trackedFiles } from '../structure/tracked-files.ts';
import { endProgramsBelow } from './end-programs.ts';
import { type Mutant, mutated } from './mutant.ts';

/** Its packages are links to the workspaces: they have to lead to those of the copy. */
const OWN_SCOPE = '@sandbox';

/** A copy of the working tree, uncommitted changes included, in which files may be changed. */
export class TreeCopy implements AsyncDisposable {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<TreeCopy> {
    const copy = new TreeCopy(await mkdtemp(join(tmpdir(), 'mutants-')));
    // Tests run programs of the tree as other accounts.
    await chmod(copy.path, 0o755);
    for (const file of await trackedFiles()) {
      await mkdir(dirname(join(copy.path, file)), { recursive: true });
      await copyFile(join(ROOT, file), join(copy.path, file));
    }
    await linkPackages(join(ROOT, 'node_modules'), join(copy.path, 'node_modules'));
    return copy;
  }

  /** Puts the defect in; disposing the answer takes it out again. */
  async apply(mutant: Omit<Mutant, 'id'>): Promise<AsyncDisposable> {
    const path = join(this.path, mutant.file);
    const source = await readFile(path, 'utf8');
    await writeFile(path, mutated(source, mutant));
    return { [Symbol.asyncDispose]: () => writeFile(path, source) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProgramsBelow(this.path);
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(join(to, OWN_SCOPE), { recursive: true });
  for (const name of await readdir(from)) {
    if (name !== OWN_SCOPE && !name.startsWith('.vite')) await symlink(join(from, name), join(to, name));
  }
  for (const name of await readdir(join(from, OWN_SCOPE))) {
    await symlink(join(dirname(to), name), join(to, OWN_SCOPE, name));
  }
}
