import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import type { z } from 'zod';
import { badRequest } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import { orFileError, pathOf, V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerEditorFailures } from '../../../http/v1/error-handlers.ts';
import type { EditResult } from '../edit/editor.ts';
import type { View, ViewTerms } from '../edit/view.ts';
import type { FileService } from '../file-service.ts';
import { editCommand } from '../wire/wire.ts';
import { EditorBody, EditorResult } from './schemas.ts';

export function editorRouteV1(app: App, files: FileService): void {
  app.post('/file/str_replace_editor', {
    errorHandler: answerEditorFailures,
    schema: {
      tags: ['file'],
      operationId: 'editFile',
      summary: 'View, create and edit text files, with undo',
      body: EditorBody,
      response: { 200: envelopeOf(orFileError(EditorResult)), ...V1_ERRORS },
    },
    handler: async ({ body }, reply) => {
      const path = pathOf(body, 'edit');
      const data = await perform(files, path, body, clientGone(reply));
      return ok(data, body.command === 'view' ? `view of ${shownPath(path)}` : `edited ${shownPath(path)}`);
    },
  });
}

async function perform(
  files: FileService,
  path: FilePath,
  body: z.infer<typeof EditorBody>,
  gone: AbortSignal,
): Promise<z.infer<typeof EditorResult>> {
  if (body.command === 'view') {
    const view = await files.view(path, viewTerms(body, path), gone);
    return { ...resultOf(path, view.output, undefined), metadata: body.enable_metadata ? metadataOf(view) : null };
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

function metadataOf({ document }: View): Record<string, unknown> | null {
  if (document === undefined) return null;
  const { kind, count, sheets } = document;
  if (kind === 'pdf') return { file_type: 'pdf', total_pages: count };
  if (kind === 'slides') return { file_type: 'pptx', total_slides: count };
  return { file_type: 'excel', total_sheets: count, sheet_names: sheets };
}

function viewTerms(body: z.infer<typeof EditorBody>, path: FilePath): ViewTerms {
  const range = (name: 'view_range' | 'page_range' | 'slide_range' | 'row_range') => rangeOf(name, body[name], path);
  return {
    lines: range('view_range'),
    pages: range('page_range'),
    slides: range('slide_range'),
    rows: range('row_range'),
    sheet: body.sheet_name,
  };
}

/** An empty range means everything. @throws FileFailure `bad_request` unless it has two numbers */
function rangeOf(name: string, [first, last, ...more]: readonly number[], path: FilePath): ViewTerms['lines'] {
  if (first === undefined) return undefined;
  if (last === undefined || more.length > 0) {
    throw badRequest(`Invalid \`${name}\` parameter: it should be a list of two integers.`, 'view', shownPath(path));
  }
  return [first, last];
}
