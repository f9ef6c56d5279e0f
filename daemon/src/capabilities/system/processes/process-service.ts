import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { accountNames } from '../../../core/account/identity.ts';
import { errnoName } from '../../../core/errno-name.ts';
import { statOf } from '../../../core/process/find/process-finder.ts';
import type { OwnPrograms } from './own-programs.ts';
import type { ProcessEntry } from './process-entry.ts';
import { ProcessThread } from './process-thread.ts';

/** Processes of one page. */
export const PAGE_MAX = 2000;

export interface ListedProcess extends ProcessEntry {
  /** Name of its account, or its number. */
  readonly user: string;
  readonly startedAt: Date;
  /** Whether it belongs to the service, which signals it for no caller. */
  readonly isProtected: boolean;
}

const ELSEWHERE = 'run the service on Linux, or in its image; GET /v2/commands lists what it has started';

/** Processes of the sandbox: those of the service's account, and of every account if that is root. */
export class ProcessService implements AsyncDisposable {
  readonly #own: OwnPrograms;
  readonly #hasProc: boolean;
  readonly #thread = new ProcessThread();

  /** @param platform of the system that the daemon runs on */
  constructor(own: OwnPrograms, platform: NodeJS.Platform) {
    this.#own = own;
    this.#hasProc = platform === 'linux';
  }

  /**
   * Processes in the order of their pids.
   * @param after only higher pids
   * @param limit at most `PAGE_MAX`
   * @throws SandboxError `unsupported` on other systems than Linux, `unavailable` if /proc cannot be read
   */
  async list(after: number, limit: number): Promise<{ processes: ListedProcess[]; nextAfter: number | null }> {
    this.#requireProc();
    const page = await this.#thread.read({ after, limit, uid: visibleAccount() });
    const isProtected = this.#own.find();
    const names = new Map<number, string>();
    const userOf = (uid: number): string => {
      const name = names.get(uid) ?? accountNames(uid, -1).user ?? String(uid);
      names.set(uid, name);
      return name;
    };
    const processes = page.processes.map((process) => ({
      ...process,
      user: userOf(process.uid),
      startedAt: new Date(page.bootSeconds * 1000 + process.startTicks * 10),
      isProtected: isProtected(process),
    }));
    return { processes, nextAfter: page.hasMore ? (processes.at(-1)?.pid ?? null) : null };
  }

  /**
   * Signals one process, without its children.
   * @param startTicks as listed: the pid may belong to another process by now
   * @throws SandboxError as `list`, `not_found`, `conflict` if another process has the pid, `forbidden` for a process of
   *   the service or of another account
   */
  async signal(pid: number, startTicks: number, signal: NodeJS.Signals): Promise<void> {
    this.#requireProc();
    const [found] = (await this.#thread.read({ after: pid - 1, limit: 1, uid: undefined })).processes;
    if (found?.pid !== pid) throw gone(pid);
    if (found.startTicks !== startTicks) {
      throw new SandboxError('conflict', `process ${pid} is not the one that started at ${startTicks} ticks`, {
        hint: 'the pid was reused: list the processes again',
      });
    }
    if (this.#own.find()(found)) {
      throw new SandboxError('forbidden', `process ${pid} (${found.name}) belongs to the service`, {
        hint: 'end what runs in it: a command, a terminal, a cell or a tab; the container ends as a whole',
      });
    }
    const uid = visibleAccount();
    if (uid !== undefined && found.uid !== uid) throw foreign(pid);
    // It may have ended since it was read.
    if (statOf(pid)?.startTime !== String(startTicks)) throw gone(pid);
    send(pid, signal);
  }

  #requireProc(): void {
    if (this.#hasProc) return;
    throw new SandboxError('unsupported', 'processes are listed on Linux only', { hint: ELSEWHERE });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }
}

/** Undefined: every one. */
function visibleAccount(): number | undefined {
  const uid = process.getuid?.();
  return uid === 0 ? undefined : uid;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    throw errnoName(error) === 'EPERM' ? foreign(pid) : gone(pid);
  }
}

function gone(pid: number): SandboxError {
  return new SandboxError('not_found', `no process has the pid ${pid}`, {
    hint: 'GET /v2/system/processes lists them',
  });
}

function foreign(pid: number): SandboxError {
  return new SandboxError('forbidden', `process ${pid} belongs to another account`, {
    hint: 'the service signals processes of its own account, as root those of every account',
  });
}
