import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The schema of an object, complete in itself. */
export function objectSchema(schema: z.ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _, $defs: named = {}, ...described } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return { ...(inlined(described, named) as object), type: 'object' } as Tool['inputSchema'];
}

/** A schema with the named ones in it written out, since some clients do not follow `$ref`. None refers to itself. */
function inlined(schema: unknown, named: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => inlined(part, named));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref: reference, ...own } = schema as { readonly $ref?: string };
  const name = reference?.split('/').at(-1);
  const whole = { ...(name === undefined ? {} : (named[name] as object)), ...own };
  return Object.fromEntries(Object.entries(whole).map(([key, part]) => [key, inlined(part, named)]));
}
