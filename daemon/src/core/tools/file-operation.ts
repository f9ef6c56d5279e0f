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
read: a file, or its lines from start_line (the first is 0) up to, not including, end_line.
write: makes path have content, or appends it; makes missing directories.
replace: every occurrence of target in path becomes content.
grep: lines below a directory that match the regular expression pattern. search: the same in one file.
find, glob: paths below a directory that match the glob pattern; glob adds size and time.
To change one place use sandbox_str_replace_editor; to copy, move or delete sandbox_execute_bash.
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
  action: z.string().meta({ description: 'See above.' }),
  path: z.string().meta({ description: 'Absolute, ~/…, or relative to the home.' }),
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
