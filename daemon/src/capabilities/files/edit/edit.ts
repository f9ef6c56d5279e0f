import { badRequest } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import { around, numberedOutput } from './snippet.ts';

export const REPLACE_MODES = ['ALL', 'FIRST', 'LAST'] as const;
export type ReplaceMode = (typeof REPLACE_MODES)[number];

/** The text after an edit, and the message about it. */
export interface Edited {
  readonly content: string;
  readonly output: string;
}

export interface Replacement {
  readonly oldStr: string;
  readonly newStr: string;
  /** Unset: the text to replace must occur exactly once. */
  readonly mode?: ReplaceMode | undefined;
}

/** @throws FileFailure `bad_request` if the text does not occur, or more than once without a mode */
export function strReplace(path: FilePath, content: string, { oldStr, newStr, mode }: Replacement): Edited {
  const shown = shownPath(path);
  if (oldStr === '') throw badRequest('old_str is empty', 'edit', shown, 'give the text to replace');
  if (oldStr === newStr) {
    throw badRequest('No replacement was performed. `new_str` and `old_str` must be different.', 'edit', shown);
  }
  const places = placesOf(content, oldStr);
  const [first] = places;
  if (first === undefined) {
    const message = `No replacement was performed, old_str \`${oldStr}\` did not appear verbatim in ${shown}.`;
    throw badRequest(message, 'edit', shown, 'read the file and give the text as it stands there');
  }
  if (places.length > 1 && mode === undefined) {
    const lines = places.map((at) => linesBefore(content, at) + 1).join(', ');
    const message = `No replacement was performed. Multiple occurrences of old_str \`${oldStr}\` in lines [${lines}]. Please ensure it is unique.`;
    throw badRequest(message, 'edit', shown, 'give more of the text around it, or replace_mode ALL, FIRST or LAST');
  }
  const chosen = mode === 'ALL' ? places : [mode === 'LAST' ? (places.at(-1) ?? first) : first];
  const edited = replaceAt(content, chosen, oldStr.length, newStr);
  const { text, first: line } = around(edited, linesBefore(content, chosen[0] ?? first), linesBefore(newStr));
  const output =
    `The file ${shown} has been edited. ${numberedOutput(text, `a snippet of ${shown}`, line)}` +
    'Review the changes and make sure they are as expected. Edit the file again if necessary.';
  return { content: edited, output };
}

/** @throws FileFailure `bad_request` if the file has no such line */
export function insertLines(path: FilePath, content: string, afterLine: number, newStr: string): Edited {
  const shown = shownPath(path);
  const lines = content.split('\n');
  const count = content.endsWith('\n') || content === '' ? lines.length - 1 : lines.length;
  if (afterLine < 0 || afterLine > count) {
    const message = `Invalid \`insert_line\` parameter: ${afterLine}. It should be within the range of allowed values: [0, ${count}]`;
    throw badRequest(message, 'edit', shown);
  }
  const inserted = newStr.endsWith('\n') ? newStr.slice(0, -1) : newStr;
  const edited = [...lines.slice(0, afterLine), ...inserted.split('\n'), ...lines.slice(afterLine)].join('\n');
  const { text, first } = around(edited, afterLine, linesBefore(inserted));
  const output =
    `The file ${shown} has been edited. ${numberedOutput(text, 'a snippet of the edited file', first)}` +
    'Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). ' +
    'Edit the file again if necessary.';
  return { content: edited, output };
}

/** Replaces every occurrence, and counts them. */
export function replaceEvery(content: string, oldStr: string, newStr: string): { content: string; count: number } {
  const places = oldStr === '' ? [] : placesOf(content, oldStr);
  return { content: replaceAt(content, places, oldStr.length, newStr), count: places.length };
}

function placesOf(content: string, text: string): number[] {
  const places: number[] = [];
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + text.length)) places.push(at);
  return places;
}

function replaceAt(content: string, places: readonly number[], length: number, text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const at of places) {
    pieces.push(content.slice(from, at), text);
    from = at + length;
  }
  return pieces.join('') + content.slice(from);
}

function linesBefore(text: string, end = text.length): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
