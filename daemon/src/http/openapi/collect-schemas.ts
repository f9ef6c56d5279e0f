import { type Document, resolved, type Schema } from './document.ts';

/** Keywords with schemas of the same value. */
const SAME_VALUE = ['anyOf', 'oneOf', 'allOf'] as const;

/** Adds a schema and those of the members and elements of its values to `found`. */
export function collectSchemas(document: Document, given: Schema | undefined, found: Set<Schema>): void {
  if (given === undefined) return;
  const schema = resolved(document, given);
  if (found.has(schema)) return;
  found.add(schema);
  const members = [...Object.values(schema.properties ?? {}), schema['items'], schema.additionalProperties];
  for (const member of members) if (isSchema(member)) collectSchemas(document, member, found);
  for (const keyword of SAME_VALUE) {
    const options = schema[keyword];
    if (Array.isArray(options)) for (const option of options) collectSchemas(document, option, found);
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
