import type { App } from '@sandbox/api/http/app-types.ts';
import { z } from 'zod';
import type { BoundTool } from '../core/tools/tool.ts';
import type { Document } from '../http/openapi.ts';
import { guideText, type SurfaceDocument } from './guide.ts';
import { LLMS_TEXT } from './llms-text.ts';
import type { Schema } from './schema-text.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';

/** What a language model reads first: an index and the manual. Both need the key. */
export function mountGuide(
  app: App,
  { document, tools }: { readonly document: () => Promise<Document>; readonly tools: readonly BoundTool[] },
): void {
  const tags = ['operations'];
  let made: Promise<string> | undefined;
  const make = async (): Promise<string> => guideText((await document()) as SurfaceDocument, tools.map(described));
  app.get(
    '/llms.txt',
    { schema: { tags, summary: 'Index for language models', produces: ['text/plain'] } },
    (_request, reply) => reply.type('text/plain; charset=utf-8').send(LLMS_TEXT),
  );
  app.get(
    '/v2/guide',
    { schema: { tags, summary: 'Manual for agents, under 8,000 tokens', produces: ['text/markdown'] } },
    async (_request, reply) => {
      made ??= make();
      return reply.type(MARKDOWN).send(await made);
    },
  );
}

function described({ name, description, schema }: BoundTool): { name: string; description: string; input: Schema } {
  return { name, description, input: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema };
}
