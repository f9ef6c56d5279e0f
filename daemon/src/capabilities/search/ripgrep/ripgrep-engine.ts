import { lstatSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { onAbort } from '@sandbox/api/wait.ts';
import type { ByteName } from '../../../core/files/byte-name.ts';
import { bytesOfPath } from '../../../core/files/file-path.ts';
import { isClosed, LeaseWatch, leasedInodes, requireUnleased } from '../../../core/files/walk/leases.ts';
import { LeasePatience } from '../../../core/files/walk/unleased.ts';
import { LEASED, Unread } from '../../../core/files/walk/unread.ts';
import { ToolRun } from '../../../core/process/tool-run.ts';
import type { FoundName, GrepMatch, GrepRequest, GrepResult, NamesRequest, NamesResult } from '../requests.ts';
import { jsonLines } from './json-lines.ts';
import { type Pass as Matches, PassReader } from './pass-reader.ts';
import { compareInWalk } from './path-order.ts';
import {
  complaintsInto,
  eachFile,
  filesArguments,
  grepArguments,
  isTextEnough,
  type Place,
  pathIn,
  picker,
  refusal,
  selection,
  type Variant,
  wantsPcre2,
} from './ripgrep.ts';
import type { Message } from './ripgrep-messages.ts';
import { textMessages } from './ripgrep-text.ts';

/** Milliseconds in which a search with just enough results may still end by itself: then nothing was left out. */
const GRACE_MS = 100;

/** Searches that begin again because of leases. */
const ATTEMPTS = 3;

type Pass = Matches & { readonly unread: Unread };

/** Searches with the program ripgrep. */
export class RipgrepEngine {
  readonly #program: string;

  constructor(program: string) {
    this.#program = program;
  }

  /**
   * ripgrep waits for leases in its opens: files with one are left out and counted. Where a lease is taken later and
   * blocks the search, it begins again.
   * @throws FileFailure `bad_request` if ripgrep refuses the search; with the code `EAGAIN` for a leased file
   */
  async grep(request: GrepRequest, place: Place, signal: AbortSignal): Promise<GrepResult> {
    const patience = new LeasePatience();
    for (let attempt = 1; ; attempt += 1) {
      const inodes = await leasedInodes();
      const leased = inodes.size === 0 ? [] : await this.#leased(request, place, signal, { inodes, patience });
      using watch = new LeaseWatch(inodes);
      const result = await this.#search(request, place, AbortSignal.any([signal, watch.blocked]), leased);
      if (!watch.blocked.aborted || signal.aborted || attempt === ATTEMPTS) return result;
    }
  }

  /** Names of files that a lease keeps closed. */
  async #leased(
    request: GrepRequest,
    place: Place,
    signal: AbortSignal,
    { inodes, patience }: { readonly inodes: ReadonlySet<number>; readonly patience: LeasePatience },
  ): Promise<readonly ByteName[]> {
    const names: ByteName[] = [];
    const find = (name: ByteName): boolean => {
      const stats = lstatSync(bytesOfPath(pathIn(place, name)), { throwIfNoEntry: false });
      if (stats?.isFile() && inodes.has(stats.ino)) names.push(name);
      return true;
    };
    if (place.isFile) await requireUnleased(request.path, patience);
    else {
      const unread = new Unread();
      await using run = new ToolRun(
        this.#program,
        filesArguments(selection(request, place, []), place),
        place.cwd,
        complaintsInto(unread),
      );
      using ending = endWith(signal, run);
      await eachFile(run, request, find, unread).catch((error: unknown) => {
        if (!ending.isEnded) throw error;
      });
    }
    const closed = await Promise.all(names.map(async (name) => await isClosed(pathIn(place, name), patience)));
    return names.filter((_name, index) => closed[index]);
  }

  /**
   * Searches with all cores and unordered first; if that finds more than requested, again in order until there are
   * enough matches, so that the same call gets the same matches and `offset` pages through them.
   */
  async #search(
    request: GrepRequest,
    place: Place,
    signal: AbortSignal,
    leased: readonly ByteName[],
  ): Promise<GrepResult> {
    const isCounted = isTextEnough(request, place) || place.isFile;
    const counting = isCounted ? undefined : countFiles(this.#program, request, place, signal, leased);
    counting?.catch(() => undefined);
    const pass = (variant: Variant): Promise<Pass> => this.#pass(request, place, variant, signal, leased);
    const first = await pass({ sorted: place.isFile, pcre2: false });
    const isEnough = !first.cut || signal.aborted || place.isFile;
    const last = isEnough ? first : await pass({ sorted: true, pcre2: false });
    if (leased.length > 0) last.unread.add(LEASED, leased.length);
    const unread = last.unread.counts;
    const isSize = last.collector.stop === 'size' || last.hasOversize;
    if (last.cut) {
      const stop = signal.aborted ? 'time' : isSize ? 'size' : 'results';
      return { matches: pageOf(last, request), filesSearched: null, stop, unread };
    }
    const byFile = last.byFile.toSorted((a, b) => compareInWalk(a.name, b.name));
    const matches = pageOf({ ...last, byFile }, request);
    if (isSize) return { matches, filesSearched: null, stop: 'size', unread };
    return { matches, filesSearched: last.filesSearched ?? (await counting) ?? 1, stop: undefined, unread };
  }

  /** @throws FileFailure `bad_request` */
  async names(request: NamesRequest, place: Place, signal: AbortSignal): Promise<NamesResult> {
    const { pattern, maxResults, exclude } = request;
    const globs = [pattern, ...exclude.map((glob) => `!${glob}`)].map((glob) => `--glob=${glob}`);
    const unread = new Unread();
    await using run = new ToolRun(this.#program, filesArguments([...globs], place), place.cwd, complaintsInto(unread));
    using _ended = endWith(signal, run);
    let names: ByteName[] = [];
    let dropped = false;
    const keepFirst = (): void => {
      names.sort(compareInWalk);
      dropped ||= names.length > maxResults;
      names = names.slice(0, maxResults);
    };
    const keep = (name: ByteName): boolean => {
      names.push(name);
      if (names.length >= 2 * maxResults + 1000) keepFirst();
      return true;
    };
    await eachFile(run, request, keep, unread).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    keepFirst();
    const found: FoundName[] = names.map((name) => ({ path: pathIn(place, name), isDirectory: false }));
    const stop = signal.aborted ? 'time' : dropped ? 'results' : undefined;
    return { names: found, stop, unread: unread.counts };
  }

  async #pass(
    request: GrepRequest,
    place: Place,
    { sorted, pcre2 }: Variant,
    signal: AbortSignal,
    leased: readonly ByteName[],
  ): Promise<Pass> {
    const args = grepArguments(request, place, { sorted, pcre2 }, leased);
    const unread = new Unread();
    await using run = new ToolRun(this.#program, args, place.cwd, complaintsInto(unread));
    using ending = endWith(signal, run);
    const reader = new PassReader(request, place, { isLast: sorted, onEnough: () => ending.soon(GRACE_MS) });
    const messages = isTextEnough(request, place) ? textMessages(run.stdout) : jsonLines(run.stdout);
    await readAll(messages, reader).catch((error: unknown) => {
      // Ending a run early destroys its output.
      if (!ending.isEnded) throw error;
    });
    if (reader.isWhole) {
      const { code, stderr } = await run.ended;
      if (code === 2 && !reader.hasSummary) {
        const variant = { sorted: sorted ?? false, pcre2: true };
        if (!pcre2 && wantsPcre2(stderr)) return this.#pass(request, place, variant, signal, leased);
        throw refusal(stderr, request);
      }
      if (code === 127) throw new SandboxError('unavailable', `ripgrep cannot be run: ${stderr}`);
    }
    return { ...reader.result(ending.isEnded), unread };
  }
}

function pageOf({ byFile, collector }: Matches, { offset, maxResults }: GrepRequest): GrepMatch[] {
  const first = offset - collector.page.skip;
  return byFile.flatMap(({ matches }) => matches).slice(first, first + maxResults);
}

async function readAll(messages: AsyncIterable<unknown>, reader: PassReader): Promise<void> {
  for await (const message of messages) if (!reader.take(message as Message)) return;
}

/** The number of files that a search would read, for searches in which ripgrep does not count them. */
async function countFiles(
  program: string,
  request: GrepRequest,
  place: Place,
  signal: AbortSignal,
  leased: readonly ByteName[],
): Promise<number> {
  const unread = new Unread();
  const args = filesArguments(selection(request, place, leased), place);
  await using run = new ToolRun(program, args, place.cwd, complaintsInto(unread));
  using _ending = endWith(signal, run);
  const accepts = picker(request);
  let count = 0;
  const add = (name: ByteName): boolean => {
    if (accepts(name)) count += 1;
    return true;
  };
  await eachFile(run, request, add, unread);
  return count;
}

interface Ending extends Disposable {
  readonly isEnded: boolean;
  /** Ends the run after that many milliseconds, unless it ends before. */
  readonly soon: (ms: number) => void;
}

/** Ends the run when the signal fires. */
function endWith(signal: AbortSignal, run: ToolRun): Ending {
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    isEnded = true;
    void run[Symbol.asyncDispose]();
  };
  const listening = onAbort(signal, end);
  return {
    get isEnded() {
      return isEnded;
    },
    soon: (ms) => {
      timer ??= setTimeout(end, ms);
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      listening[Symbol.dispose]();
    },
  };
}
