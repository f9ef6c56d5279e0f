import { z } from 'zod';
import { FileFailure } from '../files/file-failure.ts';
import { type FilePath, shownPath } from '../files/file-path.ts';
import type { ShellPaths } from '../files/shell-paths.ts';
import { ToolAnswer } from './tool-answer.ts';

/** What a model reads of the tool whose actions files and search contribute. */
export const FILE_OPERATIONS = {
  name: 'sandbox_file_operations',
  order: 3,
  title: 'Work on files',
  description: `Reads, writes, lists and searches files by the field action.
read: the text of a file, or its lines from start_line (the first is 0) up to, not including, end_line.
write: puts content into path and replaces what was there, or appends; makes missing directories.
replace: replaces every occurrence of the text target in path by content.
list: the entries of a directory.
grep: the lines below a directory that match the regular expression pattern. search: the same in one file.
find, glob: the paths below a directory that match the glob pattern, such as **/*.py; glob adds size and time.
Paths are absolute, or as in a shell: ~, ~user, or relative to the home. To change one place of a file use sandbox_str_replace_editor, which checks that the place is the
only one; to copy, move or delete use sandbox_execute_bash.
Example: {"action": "grep", "path": "/home/sandbox/app", "pattern": "def main", "include": ["*.py"]}`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  // Each action has further fields of its own.
  outputSchema: z.looseObject({
    action: z.string(),
    path: z.string(),
    success: z.boolean(),
    hint: z.string().optional().meta({ description: 'How to get what was left out.' }),
  }),
} as const;

/** Arguments that every action has. */
export const OPERATION_FIELDS = {
  action: z.string().meta({ description: 'What to do; the description of the tool explains each action.' }),
  path: z.string().meta({ description: 'The file or directory: absolute, ~/…, or relative to the home.' }),
} as const;

interface Operation {
  readonly action: string;
  readonly path: string;
}

/** The answer of one action; a failed file operation is an answer that says what failed. */
export async function fileOperation<A extends Operation>(
  args: A,
  paths: ShellPaths,
  perform: (path: FilePath) => Promise<Readonly<Record<string, unknown>>>,
): Promise<ToolAnswer> {
  const { action, path } = args;
  try {
    const found = paths.of({ path }, action);
    return new ToolAnswer({ data: { action, path: shownPath(found), success: true, ...(await perform(found)) } });
  } catch (error) {
    if (!(error instanceof FileFailure)) throw error;
    const { message, errorType } = error.file;
    const { hint } = error.details;
    const data = { action, path, success: false, message, error: errorType, ...(hint !== undefined && { hint }) };
    return new ToolAnswer({ data, isError: true });
  }
}
