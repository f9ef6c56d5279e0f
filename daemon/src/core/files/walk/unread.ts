import { systemCodeOf } from '../file-failure.ts';

/** Code under which files are counted that a lease of another process kept closed. */
export const LEASED = 'EAGAIN';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'too many links',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  EAGAIN: 'a lease of another process keeps the file closed',
};

/** What a walk through a tree could not read, counted by the code of the error. */
export class Unread {
  readonly #counts = new Map<string, number>();

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  add(code: string, count = 1): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + count);
  }

  /**
   * Counts a failed system call. What was removed or replaced during the walk is not missing in its result.
   * @throws the error itself if no system call failed
   */
  addFailure(error: unknown): void {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') this.add(code);
  }

  merge(counts: UnreadCounts): void {
    for (const [code, count] of Object.entries(counts)) this.add(code, count);
  }

  /** As plain data; undefined if everything was read. */
  get counts(): UnreadCounts | undefined {
    return this.#counts.size === 0 ? undefined : Object.fromEntries(this.#counts);
  }
}

/** Number of entries by errno name. */
export type UnreadCounts = Readonly<Record<string, number>>;

export function unreadTotal(counts: UnreadCounts | undefined): number {
  return Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
}

/** Why a result is incomplete; undefined if everything was read. */
export function unreadReason(counts: UnreadCounts | undefined): string | undefined {
  if (counts === undefined) return undefined;
  const parts = Object.entries(counts).map(([code, count]) => `${count} (${code}: ${REASONS[code] ?? 'not readable'})`);
  return `incomplete, entries that could not be read: ${parts.join(', ')}`;
}
