import type { z } from 'zod';
import { badRequest } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import type { App } from '../../../http/app-types.ts';
import { envelopeOf, ok } from '../../../http/envelope.ts';
import { pathOf } from '../../../http/files/file-fields.ts';
import { orFileError, V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerEditorFailures } from '../../../http/v1/error-handlers.ts';
import type { EditResult } from '../edit/editor.ts';
import type { ViewRange } from '../edit/view.ts';
import type { FileService } from '../file-service.ts';
import { editCommand } from '../wire/wire.ts';
import { EditorBody, EditorResult } from './schemas.ts';

export function editorRouteV1(app: App, files: FileService): void {
  app.post('/file/str_replace_editor', {
    errorHandler: answerEditorFailures,
    schema: {
      tags: ['file'],
      summary: 'View, create and edit text files, with undo',
      body: EditorBody,
      response: { 200: envelopeOf(orFileError(EditorResult)), ...V1_ERRORS },
    },
    handler: async ({ body }) => {
      const path = pathOf(body, 'edit');
      const data = await perform(files, path, body);
      return ok(data, body.command === 'view' ? `view of ${shownPath(path)}` : `edited ${shownPath(path)}`);
    },
  });
}

async function perform(
  files: FileService,
  path: FilePath,
  body: z.infer<typeof EditorBody>,
): Promise<z.infer<typeof EditorResult>> {
  if (body.command === 'view') {
    return resultOf(path, await files.view(path, viewRange(body.view_range, path)), undefined);
  }
  if (body.command === 'create') {
    if (body.file_text === undefined) throw badRequest('file_text is required for create', 'edit', shownPath(path));
    const created = await files.create(path, body.file_text, {});
    return resultOf(path, created.output, created);
  }
  const edited = await files.edit(path, editCommand(body, path));
  return resultOf(path, edited.output, edited);
}

function resultOf(path: FilePath, output: string, edited: EditResult | undefined): z.infer<typeof EditorResult> {
  return {
    output,
    error: null,
    path: shownPath(path),
    prev_exist: edited?.prevExist ?? true,
    old_content: edited?.oldContent ?? null,
    new_content: edited?.newContent ?? null,
    metadata: null,
  };
}

/** An empty range means the whole file. @throws FileFailure `bad_request` unless it has two numbers */
function viewRange([first, last, ...more]: readonly number[], path: FilePath): ViewRange | undefined {
  if (first === undefined) return undefined;
  if (last === undefined || more.length > 0) {
    throw badRequest('Invalid `view_range` parameter: it should be a list of two integers.', 'view', shownPath(path));
  }
  return [first, last];
}
