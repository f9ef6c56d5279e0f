import { existsSync, readFileSync } from 'node:fs';

/** Version 1 reports a huge number if memory has no limit. */
const NO_LIMIT = 2 ** 60;
/** In the root group of version 1 only, which is the machine's. */
const MARK_OF_ROOT = 'memory/cgroup.sane_behavior';
const FILES = {
  v2: { used: 'memory.current', limit: 'memory.max', stat: 'memory.stat', prefix: '' },
  v1: {
    used: 'memory/memory.usage_in_bytes',
    limit: 'memory/memory.limit_in_bytes',
    stat: 'memory/memory.stat',
    prefix: 'total_',
  },
} as const;

/** The memory of the control group that is mounted as the root of a directory, as in a container (cgroups(7)). */
export class GroupMemory {
  readonly directory: string;
  readonly #files: (typeof FILES)['v1' | 'v2'];
  /** Bytes. */
  readonly limit: number;

  private constructor(directory: string, files: (typeof FILES)['v1' | 'v2'], limit: number) {
    this.directory = directory;
    this.#files = files;
    this.limit = limit;
  }

  /** Undefined without a limit. */
  static find(directory = '/sys/fs/cgroup'): GroupMemory | undefined {
    for (const files of [FILES.v2, FILES.v1]) {
      const limit = Number(textOf(`${directory}/${files.limit}`) ?? Number.NaN);
      if (files === FILES.v1 && existsSync(`${directory}/${MARK_OF_ROOT}`)) continue;
      if (limit > 0 && limit < NO_LIMIT) return new GroupMemory(directory, files, limit);
    }
    return undefined;
  }

  /**
   * Bytes that the kernel cannot free without a kill, at most: files on disk that it has read count as free.
   * @param enough what is below it is not looked at closer
   */
  held(enough = 0): number {
    const { used, stat, prefix } = this.#files;
    const all = Number(textOf(`${this.directory}/${used}`) ?? 0);
    if (all < enough) return all;
    const text = textOf(`${this.directory}/${stat}`) ?? '';
    const cache = ['inactive_file', 'active_file'].map((name) => fieldOf(text, prefix + name));
    return cache.reduce((left, bytes) => Math.max(0, left - bytes), all);
  }

  /** Whether any kill for memory ends the whole group. */
  get isKilledWhole(): boolean {
    return textOf(`${this.directory}/memory.oom.group`)?.trim() === '1';
  }
}

function fieldOf(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
