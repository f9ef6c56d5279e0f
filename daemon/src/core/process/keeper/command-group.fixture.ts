import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A controller of cgroups(7), version 2, that counts something for each group. */
export interface CountingController {
  readonly name: string;
  /** The file of a group, and the start of its line. */
  readonly events: string;
  readonly event: string;
}

const MEMORY: CountingController = { name: 'memory', events: 'memory.events', event: 'oom_kill ' };
/** Counts reservations of huge pages beyond a limit: where the memory controller belongs to version 1. */
const HUGE_PAGES: CountingController = { name: 'hugetlb', events: 'hugetlb.2MB.events', event: 'max ' };

/** The controller that groups can be counted with here; undefined where there is none. */
export function countingController(): CountingController | undefined {
  const controllers = textOf(join(version2() ?? '', 'cgroup.controllers')).split(/\s/);
  return [MEMORY, HUGE_PAGES].find(({ name }) => controllers.includes(name));
}

/** Whether a group can be made that a keeper may divide. */
export function canDivideGroups(): boolean {
  const controller = countingController();
  if (controller === undefined) return false;
  using group = DelegatedGroup.make(`svc-probe-${process.pid}`, controller);
  return group !== undefined;
}

/** Mount point of version 2; undefined where it is not mounted. */
function version2(): string | undefined {
  const lines = textOf('/proc/self/mountinfo').split('\n');
  return lines.find((line) => line.includes(' - cgroup2 '))?.split(' ')[4];
}

/** A fresh group of version 2 with the controller, which a keeper may divide. */
export class DelegatedGroup implements Disposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Undefined, with a line on stderr, where it cannot be made. */
  static make(name: string, controller: CountingController): DelegatedGroup | undefined {
    const mount = version2();
    if (mount === undefined) return undefined;
    const own = join(mount, /^0::(.*)$/m.exec(textOf('/proc/self/cgroup'))?.[1] ?? '');
    const group = new DelegatedGroup(join(own, name));
    try {
      writeFileSync(join(own, 'cgroup.subtree_control'), `+${controller.name}`);
      mkdirSync(group.path);
      return group;
    } catch (error) {
      process.stderr.write(`not tested: control groups with ${controller.name}, which cannot be made (${error})\n`);
      return undefined;
    }
  }

  /** Limits the huge pages of all groups in it to none. */
  refuseHugePages(): void {
    for (const name of ['hugetlb.2MB.max', 'hugetlb.2MB.rsvd.max']) writeFileSync(join(this.path, name), '0');
  }

  limitMemory(bytes: number): void {
    writeFileSync(join(this.path, 'memory.max'), String(bytes));
    writeFileSync(join(this.path, 'memory.swap.max'), '0');
  }

  /** The groups in it. */
  get groups(): string[] {
    return readdirSync(this.path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  }

  [Symbol.dispose](): void {
    for (const name of this.groups) rmdirSync(join(this.path, name));
    rmdirSync(this.path);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
