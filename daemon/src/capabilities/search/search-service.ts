import { lstatSync, type Stats, statSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { Slots, timeoutSignal } from '@sandbox/api/wait.ts';
import { requireNoCredentialAt } from '../../core/access/credential-files.ts';
import { workOnAnswer } from '../../core/answers/answer-hold.ts';
import { asFileFailure, badRequest, notRegular, systemFailure } from '../../core/files/file-failure.ts';
import { type FilePath, nameOf, parentOf, shownPath, withoutTrailingSlashes } from '../../core/files/file-path.ts';
import { ShellPaths } from '../../core/files/shell-paths.ts';
import { expandBraces, requireExpandable } from '../../core/glob/expand-braces.ts';
import { findTool } from '../../core/tool-path.ts';
import { isTurnSpent, yieldToEventLoop } from '../../core/turns.ts';
import { ANSWER_BYTES } from './match-collector.ts';
import type { FoundName, GrepRequest, GrepResult, NamesRequest, NamesResult } from './requests.ts';
import type { Place } from './ripgrep/ripgrep.ts';
import { RipgrepEngine } from './ripgrep/ripgrep-engine.ts';
import { WalkEngine } from './walk/walk-engine.ts';

/** Concurrent searches: each uses a process or a thread, and all cores. */
const AT_ONCE = 4;

export interface FileFacts extends FoundName {
  readonly size: number | null;
  readonly modifiedAt: Date | null;
}

/** Searches names and contents of files: with ripgrep if it is on PATH at the call, otherwise with its own engine. */
export class SearchService implements AsyncDisposable {
  readonly paths: ShellPaths;
  readonly #timeoutMs: number;
  readonly #findRipgrep: () => string | undefined;
  readonly #own = new WalkEngine();
  readonly #slots = new Slots(AT_ONCE);
  readonly #closing = new AbortController();

  /**
   * @param timeout seconds after which a search answers with its matches so far
   * @param paths of requests
   */
  constructor(timeout: number, findRipgrep = (): string | undefined => findTool('rg'), paths = new ShellPaths()) {
    this.paths = paths;
    this.#timeoutMs = timeout * 1000;
    this.#findRipgrep = findRipgrep;
  }

  /** Whether the next search finds ripgrep. */
  get hasRipgrep(): boolean {
    return this.#findRipgrep() !== undefined;
  }

  /**
   * Matching lines. Unreadable files and files with NUL bytes are skipped.
   * @throws FileFailure as the system call on the path; `bad_request` for an invalid pattern, glob or type
   */
  async grep(request: GrepRequest, gone: AbortSignal): Promise<GrepResult> {
    const isFile = this.#requireSearchable(request.path, 'grep');
    requireNoCredentialAt(request.path, 'grep');
    requireGlobs([...request.include, ...request.exclude], 'grep', request.path);
    using _slot = await this.#slot(gone);
    using _work = workOnAnswer(ANSWER_BYTES);
    const signal = this.#bound(gone);
    const place = placeOf(request.path, isFile);
    const program = place && this.#findRipgrep();
    if (place === undefined || program === undefined) return await this.#own.grep(request, isFile, signal);
    return await new RipgrepEngine(program).grep(request, place, signal);
  }

  /** @throws FileFailure as `grep`; `ENOTDIR` if the path is not a directory */
  async names(request: NamesRequest, gone: AbortSignal): Promise<NamesResult> {
    if (this.#requireSearchable(request.path, 'search')) {
      throw systemFailure('ENOTDIR', 'search', shownPath(request.path));
    }
    requireGlobs([request.pattern, ...request.exclude], 'search', request.path);
    using _slot = await this.#slot(gone);
    using _work = workOnAnswer(ANSWER_BYTES);
    const signal = this.#bound(gone);
    const place = placeOf(request.path, false);
    // ripgrep finds regular files only, by globs of its own dialect.
    const program = place && request.dialect === 'ripgrep' ? this.#findRipgrep() : undefined;
    if (place === undefined || program === undefined) return await this.#own.names(request, signal);
    return await new RipgrepEngine(program).names(request, place, signal);
  }

  isDirectory(path: FilePath): boolean {
    try {
      return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    } catch {
      return false;
    }
  }

  /** Size and time of each file now, in the order of the names; links are not followed. */
  async facts(names: readonly FoundName[]): Promise<FileFacts[]> {
    const facts: FileFacts[] = [];
    for (const name of names) {
      const stat = statOf(name.path);
      facts.push({ ...name, size: stat?.size ?? null, modifiedAt: stat?.mtime ?? null });
      if (isTurnSpent()) await yieldToEventLoop();
    }
    return facts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
  }

  /** @throws SandboxError `unavailable` if the caller disconnects or the service stops before its turn */
  async #slot(gone: AbortSignal): Promise<Disposable> {
    try {
      return await this.#slots.take(AbortSignal.any([gone, this.#closing.signal]));
    } catch (error) {
      throw new SandboxError('unavailable', 'the search was cancelled before its turn', { cause: error });
    }
  }

  #bound(gone: AbortSignal): AbortSignal {
    return AbortSignal.any([gone, this.#closing.signal, timeoutSignal(this.#timeoutMs)]);
  }

  /** Whether it is a file. */
  #requireSearchable(path: FilePath, operation: string): boolean {
    let stat: Stats;
    try {
      stat = statSync(path);
    } catch (error) {
      throw asFileFailure(error, operation, shownPath(path));
    }
    if (!stat.isFile() && !stat.isDirectory()) throw notRegular('special file', operation, shownPath(path));
    return stat.isFile();
  }
}

function statOf(path: FilePath): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Undefined if the path is not UTF-8: arguments and working directories of programs are text. */
function placeOf(path: FilePath, isFile: boolean): Place | undefined {
  const given = withoutTrailingSlashes(path);
  if (!isFile) return typeof given === 'string' ? { cwd: given, target: './', isFile } : undefined;
  const [cwd, name] = [parentOf(given), nameOf(given)];
  return typeof cwd === 'string' && typeof name === 'string' ? { cwd, target: `./${name}`, isFile } : undefined;
}

function requireGlobs(globs: readonly string[], operation: string, path: FilePath): void {
  const refused = (what: string, error: unknown): unknown =>
    error instanceof RangeError ? badRequest(`${what} ${error.message}`, operation, shownPath(path)) : error;
  for (const glob of globs) {
    try {
      expandBraces(glob);
    } catch (error) {
      throw refused(`the pattern ${glob.slice(0, 100)}`, error);
    }
  }
  try {
    requireExpandable(globs);
  } catch (error) {
    throw refused('a pattern', error);
  }
}
