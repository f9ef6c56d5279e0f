import type { App } from '@sandbox/api/http/app-types.ts';
import { z } from 'zod';
import type { BoundTool } from '../core/tools/tool.ts';
import { MemoryDocument } from '../http/files/memory-document.ts';
import type { Document } from '../http/openapi/document.ts';
import { guideText, type SurfaceDocument } from './guide.ts';
import { LLMS_TEXT } from './llms-text.ts';
import type { Schema } from './schema-text.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';

/** What a language model reads first: an index and the manual. Both need the key. */
export function mountGuide(
  app: App,
  { document, tools }: { readonly document: () => Promise<Document>; readonly tools: readonly BoundTool[] },
): void {
  const index = new MemoryDocument('text/plain; charset=utf-8', () => LLMS_TEXT);
  const make = async (): Promise<string> => guideText((await document()) as SurfaceDocument, tools.map(described));
  const guide = new MemoryDocument(MARKDOWN, make);
  app.get('/llms.txt', { schema: { hide: true } }, (request, reply) => index.send(request, reply));
  app.get('/v2/guide', { schema: { hide: true } }, (request, reply) => guide.send(request, reply));
}

function described({ name, description, schema }: BoundTool): { name: string; description: string; input: Schema } {
  return { name, description, input: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema };
}
