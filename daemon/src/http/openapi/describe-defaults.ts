import { collectSchemas } from './collect-schemas.ts';
import { type Document, operationsOf, type Schema } from './document.ts';

/** Keyword with the default of a field of a request. */
const DEFAULT = 'x-default';

/**
 * Moves the defaults of the fields of JSON bodies to `x-default` and to their descriptions: of a field with `default`,
 * generators of clients make one that a caller must set.
 */
export function describeDefaults(document: Document): void {
  const found = new Set<Schema>();
  for (const { operation } of operationsOf(document)) {
    collectSchemas(document, operation.requestBody?.content['application/json']?.schema, found);
  }
  for (const schema of found) {
    const { default: value } = schema;
    if (value === undefined) continue;
    Reflect.deleteProperty(schema, 'default');
    const said = isEmpty(value) ? [] : [`Default: ${typeof value === 'string' ? value : JSON.stringify(value)}.`];
    const description = [...[schema['description'] ?? []].flat(), ...said].join(' ');
    Object.assign(schema, { [DEFAULT]: value, ...(description !== '' && { description }) });
  }
}

/** A bool that is false, a list or an object without elements: what a reader expects. */
function isEmpty(value: unknown): boolean {
  return value === false || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}
