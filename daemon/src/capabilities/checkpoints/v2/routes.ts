import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { absolutePath, type FilePath, pathOfBytes, shownPath } from '../../../core/files/file-path.ts';
import { bytesType } from '../../../http/answers/bytes-type.ts';
import { Account, QueryFlag } from '../../../http/fields.ts';
import {
  FILE_ERRORS,
  OptionalDirectoryFields,
  PathFields,
  requirePath,
  shellPathOf,
} from '../../../http/files/file-fields.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import { RawAnswer } from '../../../http/openapi/raw-body.ts';
import { sendNdjson } from '../../../http/streams/ndjson.ts';
import { sendStream } from '../../../http/streams/send-stream.ts';
import type { CheckpointService } from '../checkpoint-service.ts';
import type { CheckpointRecord, TextBounds } from '../engine/engine-protocol.ts';
import {
  Checkpoint,
  CheckpointDiff,
  CheckpointDiffEvent,
  CheckpointList,
  CheckpointParams,
  CheckpointRestored,
  CreateBody,
  RestoreBody,
} from '../wire/schemas.ts';
import { checkpointData, diffData, diffLines, restoredData, timeText } from '../wire/wire.ts';
import { importRoute } from './import-route.ts';

const tags = ['checkpoints'];
const ERRORS = { ...FILE_ERRORS, 429: ErrorBody, 501: ErrorBody, 503: ErrorBody } as const;
/** Checkpoints, and changes of a diff, in one answer. */
const LIST_MAX = 1000;
const CHANGES_MAX = 10_000;

/** Bytes of texts in one JSON answer, and in a stream. */
const TEXTS: TextBounds = { ofFile: 64 * 1024, ofAll: 1024 ** 2, contents: 64 * 1024 ** 2 };
const STREAMED_TEXTS: TextBounds = { ofFile: 1024 ** 2, ofAll: 64 * 1024 ** 2, contents: 256 * 1024 ** 2 };

const As = { user: Account.optional().meta({ description: 'The account whose rights the call has.' }) } as const;

const ListQuery = z.object({
  ...OptionalDirectoryFields,
  limit: queryNumber(z.int().min(1).max(LIST_MAX)).prefault(100),
  cursor: z.string().min(1).optional().meta({ description: 'cursor of the page before.' }),
});

const DiffQuery = z.object({
  ...As,
  to: z.string().min(1).default('now').meta({ description: 'now, or the id of another checkpoint of the directory.' }),
  limit: queryNumber(z.int().min(1).max(CHANGES_MAX)).prefault(1000),
  text: QueryFlag.default(false).meta({ description: 'With the unified text of changed text files.' }),
});

const FileQuery = z
  .object({
    path: PathFields.path.meta({ description: 'Relative to the directory of the checkpoint, or absolute.' }),
    path_b64: PathFields.path_b64,
  })
  .check(requirePath('path'));

const LINKS = linksTo({ checkpoint_id: '/data/id' }, [
  'getCheckpoint',
  'diffCheckpoint',
  'readCheckpointFile',
  'exportCheckpoint',
  'restoreCheckpoint',
  'deleteCheckpoint',
]);

export function checkpointsV2(app: App, service: CheckpointService): void {
  app.post('/checkpoints', {
    links: LINKS,
    schema: {
      tags,
      operationId: 'createCheckpoint',
      summary: 'Take a checkpoint',
      description:
        'All of it as it is: content, modes, owners, times, links, extended attributes. Default: the home of the ' +
        'account. Files that cannot be read are listed.',
      querystring: z.object(As),
      body: CreateBody,
      response: { 200: envelopeOf(Checkpoint), ...ERRORS },
    },
    handler: async ({ body, query: { user } }, reply) => {
      const hasPath = body.path !== undefined || body.path_b64 !== undefined;
      const path = hasPath ? shellPathOf(service.paths, body, 'checkpoint', { user }) : undefined;
      const record = await service.create({
        ...{ path, user, label: body.label ?? null, exclude: body.exclude },
        gone: clientGone(reply),
      });
      return ok(checkpointData(record), `checkpoint ${record.id} of ${counted(record.files, 'file')}`);
    },
  });

  app.get('/checkpoints', {
    schema: {
      tags,
      operationId: 'listCheckpoints',
      summary: 'List checkpoints',
      querystring: ListQuery,
      response: { 200: envelopeOf(CheckpointList), ...ERRORS },
    },
    handler: async ({ query }) => {
      const hasPath = query.path !== undefined || query.path_b64 !== undefined;
      const all = await service.list(hasPath ? shellPathOf(service.paths, query, 'list') : undefined);
      const start = startOf(all, query.cursor);
      const page = all.slice(start, start + query.limit);
      const hasMore = start + page.length < all.length;
      const data = {
        checkpoints: page.map(checkpointData),
        total_count: all.length,
        cursor: hasMore ? (page.at(-1)?.id ?? null) : null,
      };
      return ok(data, counted(all.length, 'checkpoint'));
    },
  });

  app.get('/checkpoints/:checkpoint_id', {
    schema: {
      tags,
      operationId: 'getCheckpoint',
      summary: 'Inspect a checkpoint',
      params: CheckpointParams,
      response: { 200: envelopeOf(Checkpoint), ...ERRORS },
    },
    handler: async ({ params }) => {
      const record = await service.get(params.checkpoint_id);
      return ok(checkpointData(record), `checkpoint ${record.id}`);
    },
  });

  app.delete('/checkpoints/:checkpoint_id', {
    schema: {
      tags,
      operationId: 'deleteCheckpoint',
      summary: 'Delete a checkpoint',
      params: CheckpointParams,
      response: { 200: envelopeOf(Checkpoint), ...ERRORS },
    },
    handler: async ({ params }) => {
      const record = await service.remove(params.checkpoint_id);
      return ok(checkpointData(record), `deleted ${record.id}`);
    },
  });

  importRoute(app, service);
  comparing(app, service);
}

function comparing(app: App, service: CheckpointService): void {
  app.get('/checkpoints/:checkpoint_id/diff', {
    config: { events: CheckpointDiffEvent },
    schema: {
      tags,
      operationId: 'diffCheckpoint',
      summary: 'Compare with a checkpoint',
      description:
        'With Accept: application/x-ndjson a stream of all changes, without limit and with longer texts: lines of type ' +
        'diff, change and, last, end.',
      produces: ['application/json', 'application/x-ndjson'],
      params: CheckpointParams,
      querystring: DiffQuery,
      response: { 200: envelopeOf(CheckpointDiff), ...ERRORS },
    },
    handler: async ({ params: { checkpoint_id }, query, headers: { accept = '' } }, reply) => {
      const { user, limit } = query;
      const other = query.to === 'now' ? undefined : query.to;
      if (accept.includes('application/x-ndjson')) {
        const texts = query.text ? STREAMED_TEXTS : undefined;
        const stream = await service.diffStream(checkpoint_id, { to: other, user, texts, gone: clientGone(reply) });
        return await sendNdjson(reply, () => diffLines(checkpoint_id, other, stream));
      }
      const texts = query.text ? TEXTS : undefined;
      const gone = clientGone(reply);
      const found = await service.diff(checkpoint_id, { to: other, user, maxChanges: limit, texts, gone });
      const data = diffData(checkpoint_id, other, found);
      const { added, removed, modified, metadata, renamed } = data;
      return ok(data, counted(added + removed + modified + metadata + renamed, 'change'));
    },
  });

  app.get('/checkpoints/:checkpoint_id/files', {
    schema: {
      tags,
      operationId: 'readCheckpointFile',
      summary: 'Read a file of one',
      produces: ['application/octet-stream'],
      params: CheckpointParams,
      querystring: FileQuery,
      response: { 200: RawAnswer, ...ERRORS },
    },
    handler: async ({ params, query, headers }, reply) => {
      const { facts, bytes } = await service.file(params.checkpoint_id, givenPath(query));
      void reply.header('content-length', facts.size);
      void reply.header('x-modified-time', timeText(facts.mtime));
      return await sendStream(reply, bytesType(headers.accept, 'application/octet-stream'), () => bytes);
    },
  });

  app.get('/checkpoints/:checkpoint_id/export', {
    schema: {
      tags,
      operationId: 'exportCheckpoint',
      summary: 'All as tar',
      description:
        'With pax headers for times in nanoseconds, extended attributes, sparse files and long names. Sockets, and files ' +
        'whose content could not be read, are left out.',
      produces: ['application/x-tar', 'application/octet-stream'],
      params: CheckpointParams,
      response: { 200: RawAnswer, ...ERRORS },
    },
    handler: async ({ params: { checkpoint_id }, headers }, reply) => {
      const bytes = await service.export(checkpoint_id);
      void reply.header('content-disposition', `attachment; filename="${checkpoint_id}.tar"`);
      return await sendStream(reply, bytesType(headers.accept, 'application/x-tar'), () => bytes);
    },
  });

  app.post('/checkpoints/:checkpoint_id/restore', {
    schema: {
      tags,
      operationId: 'restoreCheckpoint',
      summary: 'Restore a directory',
      description:
        'What is there is a checkpoint of its own first. Each file is replaced at once; what cannot be restored, or has ' +
        'changed in that time, is listed and left as it is.',
      params: CheckpointParams,
      querystring: z.object(As),
      body: RestoreBody,
      response: { 200: envelopeOf(CheckpointRestored), ...ERRORS },
    },
    handler: async ({ params: { checkpoint_id }, query: { user }, body }, reply) => {
      const { paths, dry_run, delete_new } = body;
      const terms = { user, paths, isDryRun: dry_run, deletesNew: delete_new, gone: clientGone(reply) };
      const data = restoredData(await service.restore(checkpoint_id, terms));
      const changes = counted(data.change_count, 'change');
      return ok(data, dry_run ? `${changes} would be made` : `${changes}, ${data.not_restored_count} not restored`);
    },
  });
}

/** @throws SandboxError `invalid` if the checkpoint that ended the page before is not there any more */
function startOf(all: readonly CheckpointRecord[], cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const last = all.findIndex(({ id }) => id === cursor);
  if (last >= 0) return last + 1;
  throw new SandboxError('invalid', `is not a checkpoint of the list: ${cursor}`, {
    field: 'cursor',
    hint: 'it may have been deleted; list from the start, without cursor',
  });
}

/** As it is given: the service puts a relative one below the directory of the checkpoint. */
function givenPath({ path, path_b64 }: z.infer<typeof FileQuery>): FilePath {
  const given = path_b64 === undefined ? (path ?? '') : pathOfBytes(Buffer.from(path_b64, 'base64'));
  // The checks of every path: not empty, without NUL.
  absolutePath({ path: `/${shownPath(given)}` }, 'read');
  return given;
}
