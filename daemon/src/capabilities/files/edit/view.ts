import { turnForLargeWork } from '@sandbox/api/large-work.ts';
import { workOnAnswer } from '../../../core/answers/answer-hold.ts';
import { badRequest } from '../../../core/files/file-failure.ts';
import { comparePaths, type FilePath, shownPath, withoutTrailingSlashes } from '../../../core/files/file-path.ts';
import { unreadReason } from '../../../core/files/walk/unread.ts';
import type { DocumentKind } from '../documents/document-task.ts';
import { documentKindOf, readDocument } from '../documents/read-document.ts';
import { LIST_MAX, listDirectory } from '../read/list.ts';
import { readText } from '../read/read.ts';
import { statPath } from '../read/stat.ts';
import { numberedLength, numberedOutput } from './snippet.ts';

/** First and last line, counted from 1; -1 as the last: to the end. */
type ViewRange = readonly [first: number, last: number];

export interface ViewTerms {
  readonly lines?: ViewRange | undefined;
  readonly pages?: ViewRange | undefined;
  readonly slides?: ViewRange | undefined;
  readonly rows?: ViewRange | undefined;
  readonly sheet?: string | undefined;
}

export interface View {
  readonly output: string;
  readonly document?: { readonly kind: DocumentKind; readonly count: number; readonly sheets?: readonly string[] };
}

/**
 * A text file with numbered lines, the entries of a directory, or the text of a document.
 * @throws FileFailure `bad_request` if a range lies outside the file, or lines are given for a directory; and as
 *   `readDocument`
 */
export async function viewPath(path: FilePath, terms: ViewTerms, gone: AbortSignal): Promise<View> {
  const shown = shownPath(path);
  if (statPath(path, true).stats.isDirectory()) {
    if (!terms.lines) return { output: await viewDirectory(path) };
    throw badRequest('The `view_range` parameter is not allowed when `path` points to a directory.', 'view', shown);
  }
  const kind = await documentKindOf(path);
  if (kind === undefined) return { output: await viewText(path, terms.lines) };
  const part = { range: { pdf: terms.pages, slides: terms.slides, excel: terms.rows }[kind], sheet: terms.sheet };
  const { sections, ...document } = await readDocument(path, kind, part, gone);
  const texts = sections.map(({ title, text }) => `--- ${title} ---\n${text}\n`);
  return { output: `Here's the text of ${shown}:\n${texts.join('')}`, document: { kind, ...document } };
}

/** Characters of text from which numbering its lines takes tens of milliseconds. */
const LARGE = 1024 ** 2;

async function viewText(path: FilePath, range: ViewRange | undefined): Promise<string> {
  const shown = shownPath(path);
  const { content } = await readText(path, {});
  if (content.length > LARGE) await turnForLargeWork();
  using _work = workOnAnswer(numberedLength(content));
  if (!range) return numberedOutput(content, shown);
  const lines = content.split('\n');
  const count = content.endsWith('\n') ? lines.length - 1 : lines.length;
  const [first, last] = range;
  const invalid = (why: string): Error =>
    badRequest(`Invalid \`view_range\` parameter: [${first}, ${last}]. ${why}`, 'view', shown);
  if (first < 1 || first > Math.max(1, count)) {
    throw invalid(`Its first element \`${first}\` should be within the range of lines of the file: [1, ${count}].`);
  }
  if (last !== -1 && last < first) {
    throw invalid(`Its second element \`${last}\` should be greater than or equal to the first element \`${first}\`.`);
  }
  const text = lines.slice(first - 1, last === -1 ? count : Math.min(last, count)).join('\n');
  return numberedOutput(text, shown, first);
}

async function viewDirectory(path: FilePath): Promise<string> {
  const root = withoutTrailingSlashes(path);
  const own = await listDirectory({ path: root, recursive: false, showHidden: true, limit: LIST_MAX });
  const { entries, cursor, unread } = await listDirectory({
    path: root,
    recursive: true,
    maxDepth: 2,
    showHidden: false,
    limit: LIST_MAX,
  });
  const shown = shownPath(root);
  const names = [...entries].sort((a, b) => comparePaths(a.path, b.path));
  const lines = names.map((entry) => shownPath(entry.path) + (entry.isDirectory ? '/' : ''));
  const hidden = own.entries.filter(({ name }) => shownPath(name).startsWith('.')).length;
  const notes = [
    ...(cursor === undefined ? [] : [`Only the first ${LIST_MAX} are shown.`]),
    ...(unread === undefined ? [] : ['', `This list is ${unreadReason(unread)}`]),
    ...(hidden === 0
      ? []
      : [
          '',
          `${hidden} hidden files/directories in this directory are excluded. You can use 'ls -la ${shown}' to see them.`,
        ]),
  ];
  const title = `Here's the files and directories up to 2 levels deep in ${shown}, excluding hidden items:`;
  return [title, `${shown}/`, ...lines, ...notes].join('\n');
}
