import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { withholdCredentials } from '../../../core/access/credential-files.ts';
import { type ByteName, textOf } from '../../../core/files/byte-name.ts';
import { LeasePatience } from '../../../core/files/walk/unleased.ts';
import { Unread } from '../../../core/files/walk/unread.ts';
import { Glob } from '../../../core/glob/glob.ts';
import { GlobRules } from '../../../core/glob/glob-rules.ts';
import { MatchCollector, type Page } from '../match-collector.ts';
import { PatternError } from '../regex/pattern-error.ts';
import { literalRegex, rustRegex } from '../regex/rust-regex.ts';
import type { Stop } from '../requests.ts';
import { globsOfType } from './file-types.ts';
import { lineCount, searchText, type TextTerms } from './search-text.ts';
import { textOfFile } from './text-of-file.ts';
import { join, sizeOf, walk } from './walk.ts';
import type { WorkerMatch, WorkerMessage, WorkerTask } from './worker-task.ts';

const TASK = 'search';
const NAMES_A_MESSAGE = 500;

/** Starts a search in a thread of its own, which can be ended whatever its regular expression is busy with. */
export function startSearch(task: WorkerTask): Worker {
  return new Worker(new URL(import.meta.url), { workerData: { [TASK]: task }, env: {}, stdin: false });
}

function grep(
  { root, isFile, withheld, request }: Extract<WorkerTask, { kind: 'grep' }>,
  say: (message: WorkerMessage) => void,
): void {
  using _withheld = withholdCredentials({ files: withheld, values: () => [] });
  const { fixedStrings, caseInsensitive: ignoreCase, multiline, before, after } = request;
  const regex = (fixedStrings ? literalRegex : rustRegex)(request.pattern, { ignoreCase });
  const terms: TextTerms = { regex, multiline, before, after };
  let page: Page = { skip: request.offset, wanted: request.maxResults };
  let filesSearched = 0;
  let stop: Stop | undefined;
  const state = { unread: new Unread(), patience: new LeasePatience() };
  for (const file of isFile ? [''] : filesFor(root, request, state.unread)) {
    filesSearched += 1;
    const found = searchFile(join(root, file), page, terms, state);
    if (found.matches.length > 0) say({ kind: 'matches', file, matches: found.matches });
    page = { skip: found.toSkip, wanted: found.left };
    stop = found.stop;
    if (stop) break;
  }
  say({ kind: 'done', filesSearched, stop, unread: state.unread.counts });
}

function* filesFor(
  root: ByteName,
  request: Extract<WorkerTask, { kind: 'grep' }>['request'],
  unread: Unread,
): Iterable<ByteName> {
  const { include, exclude, type, maxFileSize = Number.POSITIVE_INFINITY, recursive } = request;
  const rules = new GlobRules([...include, ...exclude.map((glob) => `!${glob}`)]);
  const globs = type === undefined ? [] : globsOfType(type);
  if (globs === undefined) throw new PatternError(`unrecognized file type: ${type}`);
  const types = new GlobRules(globs);
  const descend = (path: ByteName): boolean => recursive && rules.judge(textOf(path), true) !== 'negated';
  for (const { path, isFile } of walk(root, descend, unread)) {
    if (!isFile) continue;
    const text = textOf(path);
    const verdict = rules.judge(text, false);
    if (verdict === 'negated' || (verdict === undefined && rules.hasPositive)) continue;
    if (!types.isEmpty && types.judge(text, false) === undefined) continue;
    if ((sizeOf(join(root, path), unread) ?? Number.POSITIVE_INFINITY) <= maxFileSize) yield path;
  }
}

interface State {
  readonly unread: Unread;
  readonly patience: LeasePatience;
}

/** The matches of one file on the page; none if it cannot be read or is not text. */
function searchFile(path: ByteName, page: Page, terms: TextTerms, state: State): MatchCollector<WorkerMatch> {
  const collector = new MatchCollector<WorkerMatch>(page);
  let line = 1;
  try {
    for (const text of textOfFile(path, terms.multiline, state.patience)) {
      if (text === undefined) return new MatchCollector(page);
      // One more than the page takes tells that there is more.
      const found = searchText(text, line, collector.toSkip + collector.left + 1, terms);
      const passed = Math.min(found.length, collector.toSkip);
      collector.pass(passed);
      // A copy: a part of the text would hold the whole piece in memory.
      for (const match of found.slice(passed)) if (!collector.add(structuredClone(match))) return collector;
      line += lineCount(text);
    }
  } catch (error) {
    state.unread.addFailure(error);
    return new MatchCollector(page);
  }
  return collector;
}

function names({ root, request }: Extract<WorkerTask, { kind: 'names' }>, say: (message: WorkerMessage) => void) {
  let batch: { name: ByteName; isDirectory: boolean }[] = [];
  let count = 0;
  let stop: Stop | undefined;
  const unread = new Unread();
  for (const found of (request.dialect === 'ripgrep' ? byRules : byGlob)(root, request, unread)) {
    if (count >= request.maxResults) {
      stop = 'results';
      if (!request.countAll) break;
      count += 1;
      continue;
    }
    count += 1;
    batch.push(found);
    if (batch.length < NAMES_A_MESSAGE) continue;
    say({ kind: 'names', names: batch });
    batch = [];
  }
  say({ kind: 'names', names: batch });
  say({ kind: 'done', filesSearched: count, stop, unread: unread.counts });
}

type NamesTerms = Extract<WorkerTask, { kind: 'names' }>['request'];
type FoundHere = { name: ByteName; isDirectory: boolean };

function* byRules(root: ByteName, { pattern, exclude }: NamesTerms, unread: Unread): Iterable<FoundHere> {
  const rules = new GlobRules([pattern, ...exclude.map((glob) => `!${glob}`)]);
  const descend = (directory: ByteName): boolean => rules.judge(textOf(directory), true) !== 'negated';
  for (const { path, isFile } of walk(root, descend, unread)) {
    if (!isFile) continue;
    const verdict = rules.judge(textOf(path), false);
    if (verdict === 'matched' || (verdict === undefined && !rules.hasPositive))
      yield { name: path, isDirectory: false };
  }
}

function* byGlob(root: ByteName, terms: NamesTerms, unread: Unread): Iterable<FoundHere> {
  const { pattern, exclude, hidden, filesOnly = false } = terms;
  const cleaned = pattern.split('/').filter((part) => part !== '' && part !== '.');
  const glob = new Glob(cleaned.join('/'), { dot: hidden, braces: false });
  const excluded = new GlobRules(exclude);
  const deepest = cleaned.includes('**') ? Number.POSITIVE_INFINITY : cleaned.length;
  const isOut = (path: ByteName, isDirectory: boolean): boolean =>
    !excluded.isEmpty && excluded.judge(textOf(path), isDirectory) === 'matched';
  const descend = (directory: ByteName, depth: number): boolean => depth < deepest && !isOut(directory, true);
  for (const { path, isDirectory } of walk(root, descend, unread)) {
    if (filesOnly && isDirectory) continue;
    if (glob.matches(textOf(path)) && !isOut(path, isDirectory)) yield { name: path, isDirectory };
  }
}

function serve(port: MessagePort, task: WorkerTask): void {
  const say = (message: WorkerMessage): void => port.postMessage(message);
  try {
    if (task.kind === 'grep') grep(task, say);
    else names(task, say);
  } catch (error) {
    if (!(error instanceof PatternError) && !(error instanceof RangeError)) throw error;
    say({ kind: 'refused', reason: error.message });
  }
}

// This module is its own worker: its bundle is one file, wherever that lies.
if (!isMainThread && parentPort !== null && workerData?.[TASK] !== undefined) serve(parentPort, workerData[TASK]);
