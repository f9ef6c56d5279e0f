import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { withholdCredentials } from '../../../core/access/credential-files.ts';
import { type ByteName, textOf } from '../../../core/files/byte-name.ts';
import { Glob } from '../../../core/glob/glob.ts';
import { GlobRules } from '../../../core/glob/glob-rules.ts';
import { ANSWER_BYTES, type Page, textSize } from '../match-collector.ts';
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
  let skip = request.offset;
  let wanted = request.maxResults;
  let filesSearched = 0;
  let stop: Stop | undefined;
  for (const file of isFile ? [''] : filesFor(root, request)) {
    filesSearched += 1;
    const found = searchFile(join(root, file), { skip, wanted: wanted + 1 }, terms);
    skip -= found.passed;
    if (found.matches.length === 0) continue;
    const matches = found.matches.slice(0, wanted);
    wanted -= matches.length;
    say({ kind: 'matches', file, matches });
    if (found.matches.length > matches.length) stop = 'results';
    else if (found.isOversize) stop = 'size';
    if (stop) break;
  }
  say({ kind: 'done', filesSearched, stop });
}

function* filesFor(root: ByteName, request: Extract<WorkerTask, { kind: 'grep' }>['request']): Iterable<ByteName> {
  const { include, exclude, type, maxFileSize = Number.POSITIVE_INFINITY, recursive } = request;
  const rules = new GlobRules([...include, ...exclude.map((glob) => `!${glob}`)]);
  const globs = type === undefined ? [] : globsOfType(type);
  if (globs === undefined) throw new PatternError(`unrecognized file type: ${type}`);
  const types = new GlobRules(globs);
  const descend = (path: ByteName): boolean => recursive && rules.judge(textOf(path), true) !== 'negated';
  for (const { path, isFile } of walk(root, descend)) {
    if (!isFile) continue;
    const text = textOf(path);
    const verdict = rules.judge(text, false);
    if (verdict === 'negated' || (verdict === undefined && rules.hasPositive)) continue;
    if (!types.isEmpty && types.judge(text, false) === undefined) continue;
    if ((sizeOf(join(root, path)) ?? Number.POSITIVE_INFINITY) <= maxFileSize) yield path;
  }
}

interface FileResult {
  /** Matches before the page. */
  readonly passed: number;
  readonly matches: readonly WorkerMatch[];
  /** Whether it has more matches, which do not fit in an answer. */
  readonly isOversize: boolean;
}

const NOTHING: FileResult = { passed: 0, matches: [], isOversize: false };

/** Nothing where it cannot be read or is no text. */
function searchFile(path: ByteName, { skip, wanted }: Page, terms: TextTerms): FileResult {
  const matches: WorkerMatch[] = [];
  let passed = 0;
  let bytes = 0;
  let line = 1;
  try {
    for (const text of textOfFile(path, terms.multiline)) {
      if (text === undefined) return NOTHING;
      const found = searchText(text, line, skip - passed + wanted - matches.length, terms);
      const over = Math.min(found.length, skip - passed);
      passed += over;
      for (const match of found.slice(over)) {
        if (bytes > ANSWER_BYTES) return { passed, matches, isOversize: true };
        bytes += textSize(match);
        // A copy: a part of the text would hold the whole piece in memory.
        matches.push(structuredClone(match));
      }
      if (matches.length >= wanted) break;
      line += lineCount(text);
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return NOTHING;
    throw error;
  }
  return { passed, matches, isOversize: false };
}

function names({ root, request }: Extract<WorkerTask, { kind: 'names' }>, say: (message: WorkerMessage) => void) {
  let batch: { name: ByteName; isDirectory: boolean }[] = [];
  let count = 0;
  let stop: Stop | undefined;
  for (const found of request.dialect === 'ripgrep' ? byRules(root, request) : byGlob(root, request)) {
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
  say({ kind: 'done', filesSearched: count, stop });
}

type NamesTerms = Extract<WorkerTask, { kind: 'names' }>['request'];
type FoundHere = { name: ByteName; isDirectory: boolean };

function* byRules(root: ByteName, { pattern, exclude }: NamesTerms): Iterable<FoundHere> {
  const rules = new GlobRules([pattern, ...exclude.map((glob) => `!${glob}`)]);
  for (const { path, isFile } of walk(root, (directory) => rules.judge(textOf(directory), true) !== 'negated')) {
    if (!isFile) continue;
    const verdict = rules.judge(textOf(path), false);
    if (verdict === 'matched' || (verdict === undefined && !rules.hasPositive))
      yield { name: path, isDirectory: false };
  }
}

function* byGlob(root: ByteName, { pattern, exclude, hidden, filesOnly = false }: NamesTerms): Iterable<FoundHere> {
  const cleaned = pattern.split('/').filter((part) => part !== '' && part !== '.');
  const glob = new Glob(cleaned.join('/'), { dot: hidden, braces: false });
  const excluded = new GlobRules(exclude);
  const deepest = cleaned.includes('**') ? Number.POSITIVE_INFINITY : cleaned.length;
  const isOut = (path: ByteName, isDirectory: boolean): boolean =>
    !excluded.isEmpty && excluded.judge(textOf(path), isDirectory) === 'matched';
  for (const { path, isDirectory } of walk(root, (directory, depth) => depth < deepest && !isOut(directory, true))) {
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
