import { collectSchemas } from './collect-schemas.ts';
import { type Document, type Operation, operationsOf, type Schema } from './document.ts';

/** Keyword of an operation whose bodies may have further fields. It is removed from the document. */
export const OPEN_BODY = 'x-open-body';

/**
 * Says of each object in a JSON body or a form that it has no other properties, unless its schema says which it has.
 * Operations with `OPEN_BODY` are left as they are, and so are the schemas that they share with others.
 * @param isStrict false: the service ignores unknown fields
 */
export function closeRequests(document: Document, isStrict: boolean): void {
  const open = new Set<Schema>();
  const closed = new Set<Schema>();
  for (const { operation } of operationsOf(document)) {
    collectSchemas(document, bodyOf(operation), isStrict && operation[OPEN_BODY] !== true ? closed : open);
    delete operation[OPEN_BODY];
  }
  for (const schema of closed) {
    if (!open.has(schema) && isBare(schema)) schema.additionalProperties = false;
  }
}

function bodyOf({ requestBody }: Operation): Schema | undefined {
  const { content = {} } = requestBody ?? {};
  return (content['application/json'] ?? content['multipart/form-data'])?.schema;
}

/** An object whose schema lists properties and is silent about others; parts of an `allOf` list only some of them. */
function isBare(schema: Schema): boolean {
  return schema.type === 'object' && schema.properties !== undefined && schema.additionalProperties === undefined;
}
