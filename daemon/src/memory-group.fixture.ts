import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keeperProgram } from './core/process/keeper/keeper-program.ts';

/** A group of processes that together may hold so many bytes of memory (cgroups(7)). */
export class MemoryGroup implements Disposable {
  /** The file that a process writes its pid to in order to join. */
  readonly members: string;
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
    this.members = join(path, 'cgroup.procs');
  }

  /** Undefined, with a line on stderr, where no such group can be made: it needs root and a writable cgroup. */
  static make(name: string, bytes: number): MemoryGroup | undefined {
    const version1 = /^\d+:memory:(.*)$/m.exec(textOf('/proc/self/cgroup'))?.[1];
    const version2 = /^0::(.*)$/m.exec(textOf('/proc/self/cgroup'))?.[1] ?? '';
    const [own, limit] =
      version1 === undefined
        ? [join('/sys/fs/cgroup', version2), 'memory.max']
        : [join('/sys/fs/cgroup/memory', version1), 'memory.limit_in_bytes'];
    const group = new MemoryGroup(join(own, name));
    try {
      mkdirSync(group.#path);
      writeFileSync(join(group.#path, limit), String(bytes));
      return group;
    } catch (error) {
      group[Symbol.dispose]();
      process.stderr.write(`not tested: a memory limit, which cannot be set here (${error})\n`);
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    try {
      rmdirSync(this.#path);
    } catch {
      // It was never made, or a process is still in it.
    }
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A keeper that the test starts, not the daemon, under the memory limit of the group. */
export async function keeperInGroup(group: MemoryGroup, directory: string): Promise<ChildProcess> {
  const script = 'echo $$ > "$0" && exec "$@"';
  const argv = ['-c', script, group.members, keeperProgram(undefined).path, 'serve', directory];
  const keeper = spawn('sh', argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(keeper.stdout, 'data');
  return keeper;
}
