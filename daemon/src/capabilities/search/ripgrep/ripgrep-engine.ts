import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { onAbort } from '@sandbox/api/wait.ts';
import type { ByteName } from '../../../core/files/byte-name.ts';
import { ToolRun } from '../../../core/process/tool-run.ts';
import type { FoundName, GrepMatch, GrepRequest, GrepResult, NamesRequest, NamesResult } from '../requests.ts';
import { jsonLines } from './json-lines.ts';
import { type Pass, PassReader } from './pass-reader.ts';
import { compareInWalk } from './path-order.ts';
import {
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

/** Searches with the program ripgrep. */
export class RipgrepEngine {
  readonly #program: string;

  constructor(program: string) {
    this.#program = program;
  }

  /**
   * Searches with all cores and unordered first; if that finds more than requested, again in order until there are
   * enough matches, so that the same call gets the same matches and `offset` pages through them.
   * @throws FileFailure `bad_request` where ripgrep refuses the search
   */
  async grep(request: GrepRequest, place: Place, signal: AbortSignal): Promise<GrepResult> {
    const isCounted = isTextEnough(request, place) || place.isFile;
    const counting = isCounted ? undefined : countFiles(this.#program, request, place, signal);
    counting?.catch(() => undefined);
    const first = await this.#pass(request, place, { sorted: place.isFile, pcre2: false }, signal);
    const isEnough = !first.cut || signal.aborted || place.isFile;
    const pass = isEnough ? first : await this.#pass(request, place, { sorted: true, pcre2: false }, signal);
    const isSize = pass.collector.stop === 'size' || pass.hasOversize;
    if (pass.cut) {
      const stop = signal.aborted ? 'time' : isSize ? 'size' : 'results';
      return { matches: pageOf(pass, request), filesSearched: null, stop };
    }
    const byFile = pass.byFile.toSorted((a, b) => compareInWalk(a.name, b.name));
    const matches = pageOf({ ...pass, byFile }, request);
    if (isSize) return { matches, filesSearched: null, stop: 'size' };
    return { matches, filesSearched: pass.filesSearched ?? (await counting) ?? 1, stop: undefined };
  }

  /** @throws FileFailure `bad_request` */
  async names(request: NamesRequest, place: Place, signal: AbortSignal): Promise<NamesResult> {
    const { pattern, maxResults, exclude } = request;
    const globs = [pattern, ...exclude.map((glob) => `!${glob}`)].map((glob) => `--glob=${glob}`);
    await using run = new ToolRun(this.#program, filesArguments([...globs], place), place.cwd);
    using _ended = endWith(signal, run);
    let names: ByteName[] = [];
    let dropped = false;
    const keepFirst = (): void => {
      names.sort(compareInWalk);
      dropped ||= names.length > maxResults;
      names = names.slice(0, maxResults);
    };
    await eachFile(run, request, (name) => {
      names.push(name);
      if (names.length >= 2 * maxResults + 1000) keepFirst();
      return true;
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    keepFirst();
    const found: FoundName[] = names.map((name) => ({ path: pathIn(place, name), isDirectory: false }));
    return { names: found, stop: signal.aborted ? 'time' : dropped ? 'results' : undefined };
  }

  async #pass(request: GrepRequest, place: Place, { sorted, pcre2 }: Variant, signal: AbortSignal): Promise<Pass> {
    const args = grepArguments(request, place, { sorted, pcre2 });
    await using run = new ToolRun(this.#program, args, place.cwd);
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
        if (!pcre2 && wantsPcre2(stderr))
          return this.#pass(request, place, { sorted: sorted ?? false, pcre2: true }, signal);
        throw refusal(stderr, request);
      }
      if (code === 127) throw new SandboxError('unavailable', `ripgrep cannot be run: ${stderr}`);
    }
    return reader.result(ending.isEnded);
  }
}

function pageOf({ byFile, collector }: Pass, { offset, maxResults }: GrepRequest): GrepMatch[] {
  const first = offset - collector.page.skip;
  return byFile.flatMap(({ matches }) => matches).slice(first, first + maxResults);
}

async function readAll(messages: AsyncIterable<unknown>, reader: PassReader): Promise<void> {
  for await (const message of messages) if (!reader.take(message as Message)) return;
}

/** The number of files that a search would read, for searches in which ripgrep does not count them. */
async function countFiles(program: string, request: GrepRequest, place: Place, signal: AbortSignal): Promise<number> {
  await using run = new ToolRun(program, filesArguments(selection(request, place), place), place.cwd);
  using _ending = endWith(signal, run);
  const accepts = picker(request);
  let count = 0;
  await eachFile(run, request, (name) => {
    if (accepts(name)) count += 1;
    return true;
  });
  return count;
}

interface Ending extends Disposable {
  readonly isEnded: boolean;
  /** Ends the run after so many milliseconds, unless it ends before. */
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
