import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { App } from '@sandbox/api/http/app-types.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { mimeTypeOf } from '@sandbox/program/mime-types.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { judgeConditions } from '../http/files/conditional.ts';
import { MemoryDocument } from '../http/files/memory-document.ts';
import { servedAssets } from './explorer-assets.ts';
import { EXPLORER_PAGES, EXPLORER_POLICY, type ExplorerPage, explorerHtml } from './explorer-page.ts';

/** Only the browser may store a file, and it asks each time. */
const FILE_HEADERS = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
const PAGE_HEADERS = { ...FILE_HEADERS, 'content-security-policy': EXPLORER_POLICY };

/** The explorer of both surfaces. All that it loads is of this origin, so it works offline. */
export function mountExplorer(app: App): void {
  for (const page of EXPLORER_PAGES) mountPage(app, page);
}

function mountPage(app: App, page: ExplorerPage): void {
  const html = new MemoryDocument('text/html; charset=utf-8', () => explorerHtml(page));
  app.get(page.path, { schema: { hide: true } }, (request, reply) => html.send(request, reply.headers(PAGE_HEADERS)));
  app.get<{ Params: { file: string } }>(`${page.path}/:file`, { schema: { hide: true } }, (request, reply) =>
    sendAsset(request.params.file, request, reply),
  );
}

/** @throws SandboxError `not_found` for a name that the explorer does not serve */
async function sendAsset(name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const asset = servedAssets().find((candidate) => candidate.name === name);
  if (asset === undefined) throw new SandboxError('not_found', 'no such file of the explorer');
  const { size, mtime } = await stat(asset.path);
  const etag = `"${size.toString(36)}-${mtime.getTime().toString(36)}"`;
  void reply.headers({ ...FILE_HEADERS, etag });
  if (judgeConditions(request.headers, { etag, modified: mtime }).status === 304) return reply.code(304).send();
  const type = mimeTypeOf(extname(name));
  return reply.type(type.startsWith('text/') ? `${type}; charset=utf-8` : type).send(await readFile(asset.path));
}
