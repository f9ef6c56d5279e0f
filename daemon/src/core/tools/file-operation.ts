import { z } from 'zod';
import { FileFailure } from '../files/file-failure.ts';
import { absolutePath, type FilePath, shownPath } from '../files/file-path.ts';
import { ToolAnswer } from './tool-answer.ts';

/** What a model reads of the tool whose actions files and search contribute. */
export const FILE_OPERATIONS = {
  name: 'sandbox_file_operations',
  order: 3,
  title: 'Work on files',
  description: `Reads, writes, lists and searches files by the field action.
read: the text of a file, or its lines from start_line (from 0) to before end_line. write: content into path; missing
directories are made. replace: every target in path by content. list: the entries of a directory. grep: lines that match
the regular expression pattern in a directory. search: the same in one file. find and glob: paths that match the glob
pattern, such as **/*.py; glob adds size and time. To edit one place of a file use sandbox_str_replace_editor; to copy,
move or delete use sandbox_execute_bash. Paths are absolute.
Example: {"action": "grep", "path": "/home/sandbox/app", "pattern": "def main", "include": ["*.py"]}`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
} as const;

/** Arguments that every action has. */
export const OPERATION_FIELDS = {
  action: z.string().meta({ description: 'What to do.' }),
  path: z.string().meta({ description: 'Absolute path of the file or directory.' }),
} as const;

interface Operation {
  readonly action: string;
  readonly path: string;
}

/** The answer of one action; a failed file operation is an answer that says what failed. */
export async function fileOperation<A extends Operation>(
  args: A,
  perform: (path: FilePath) => Promise<Readonly<Record<string, unknown>>>,
): Promise<ToolAnswer> {
  const { action, path } = args;
  try {
    const found = absolutePath({ path }, action);
    return new ToolAnswer({ data: { action, path: shownPath(found), success: true, ...(await perform(found)) } });
  } catch (error) {
    if (!(error instanceof FileFailure)) throw error;
    const { message, errorType } = error.file;
    const { hint } = error.details;
    const data = { action, path, success: false, message, error: errorType, ...(hint !== undefined && { hint }) };
    return new ToolAnswer({ data, isError: true });
  }
}
