import type { App } from '@sandbox/api/http/app-types.ts';
import { z } from 'zod';
import type { BoundTool } from '../core/tools/tool.ts';
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
  let made: Promise<string> | undefined;
  const make = async (): Promise<string> => guideText((await document()) as SurfaceDocument, tools.map(described));
  app.get('/llms.txt', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(LLMS_TEXT),
  );
  app.get('/v2/guide', { schema: { hide: true } }, async (_request, reply) => {
    made ??= make();
    return reply.type(MARKDOWN).send(await made);
  });
}

function described({ name, description, schema }: BoundTool): { name: string; description: string; input: Schema } {
  return { name, description, input: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema };
}
