import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../root.ts';
import { trackedFiles } from '../structure/tracked-files.ts';
import { type Mutant, mutated } from './mutant.ts';

/** The packages of this scope are links to the workspaces; those of a copy link to the copy. */
const OWN_SCOPE = '@sandbox';

/** A copy of the working tree, uncommitted changes included, in which files may be changed. */
export class TreeCopy implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<TreeCopy> {
    const path = await mkdtemp(join(tmpdir(), 'mutants-'));
    // Tests run programs of the tree as other accounts.
    await chmod(path, 0o755);
    for (const file of await trackedFiles()) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await copyFile(join(ROOT, file), join(path, file));
    }
    const [from, to] = [join(ROOT, 'node_modules'), join(path, 'node_modules')];
    await mkdir(join(to, OWN_SCOPE), { recursive: true });
    for (const name of await readdir(from)) {
      if (name !== OWN_SCOPE && !name.startsWith('.vite')) await symlink(join(from, name), join(to, name));
    }
    for (const name of await readdir(join(from, OWN_SCOPE))) await symlink(join(path, name), join(to, OWN_SCOPE, name));
    return new TreeCopy(path);
  }

  /** Applies the mutant; disposing the result restores the file. */
  async apply(mutant: Mutant): Promise<AsyncDisposable> {
    const path = join(this.path, mutant.file);
    const source = await readFile(path, 'utf8');
    await writeFile(path, mutated(source, mutant));
    return { [Symbol.asyncDispose]: () => writeFile(path, source) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Tests that a deadline ends leave detached keepers behind; their command lines name this directory.
    spawnSync('pkill', ['-KILL', '-f', this.path]);
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
