import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { BoundTool } from '../../core/tools/tool.ts';
import { oneObject } from './one-object.ts';

type Annotations = NonNullable<BoundTool['annotations']>;

/** Limits of a text, path or list: the error of a call that exceeds one names it. */
const LENGTHS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern']);

/** Bounds of numbers from here on are left out, since calls come nowhere near. */
const FAR = 100_000;
/** What a client needs only to make a value. */
const OF_INPUT: ReadonlySet<string> = new Set(['additionalProperties', 'required', 'description']);

/** A tool as clients list it, without what says nothing: each byte of a list is read by a model. */
export function describeTool({ name, title, description, annotations = {}, schema, outputSchema }: BoundTool): Tool {
  return {
    name,
    description,
    inputSchema: objectSchema(schema, 'input'),
    ...(outputSchema && { outputSchema: objectSchema(outputSchema, 'output') }),
    annotations: { title, ...saidOf(annotations) },
  };
}

/** Hints without those that their absence says too (MCP 2025-11-25, ToolAnnotations); of what only reads no more. */
function saidOf({ readOnlyHint = false, destructiveHint, idempotentHint, openWorldHint }: Annotations): Annotations {
  return {
    readOnlyHint,
    ...(!readOnlyHint && destructiveHint === false && { destructiveHint }),
    ...(!readOnlyHint && idempotentHint === true && { idempotentHint }),
    ...(openWorldHint === false && { openWorldHint }),
  };
}

/** The schema of an object, complete in itself. */
export function objectSchema(schema: z.ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _, $defs: named = {}, ...described } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return { ...(brief(described, { named, io }) as object), type: 'object' } as Tool['inputSchema'];
}

interface Terms {
  readonly named: Readonly<Record<string, unknown>>;
  readonly io: 'input' | 'output';
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A schema with the named ones in it written out, since some clients do not follow `$ref`; none refers to itself. What
 * a client does not need is left out: limits that no call reaches unawares, whose error names them, examples, a default of
 * an empty list; of answers all but the names and types of fields.
 */
function brief(schema: unknown, terms: Terms): unknown {
  if (Array.isArray(schema)) return schema.map((part) => brief(part, terms));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref: reference, ...own } = schema as { readonly $ref?: string };
  const name = reference?.split('/').at(-1);
  const whole: JsonObject = { ...(name === undefined ? {} : (terms.named[name] as object)), ...own };
  const kept = Object.entries(oneObject(whole)).filter(([key, part]) => !saysNothing(key, part, terms.io));
  return Object.fromEntries(kept.map(([key, part]) => [key, briefMember(key, part, terms)]));
}

/** Keeps every name of a field, also one that is a keyword of JSON Schema. */
function briefMember(key: string, part: unknown, terms: Terms): unknown {
  if (key !== 'properties') return brief(part, terms);
  const fields = Object.entries(part as JsonObject);
  return Object.fromEntries(fields.map(([name, field]) => [name, brief(field, terms)]));
}

function saysNothing(key: string, part: unknown, io: Terms['io']): boolean {
  if (key === 'minimum' || key === 'maximum') return Math.abs(Number(part)) >= FAR;
  if (key === 'default') return Array.isArray(part) && part.length === 0;
  if (key === 'id' || key === 'example' || LENGTHS.has(key)) return true;
  return io === 'output' && OF_INPUT.has(key);
}
