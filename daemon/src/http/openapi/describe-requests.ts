import { MAY_BE_ABSENT } from '../files/file-fields.ts';
import { type Document, type Operation, operationsOf, resolved, type Schema } from './document.ts';

/** Fields with a path as bytes, and the names that the same path as text has. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  path_b64: ['path', 'file'],
  source_b64: ['source'],
  destination_b64: ['destination'],
};
const BINARY: Schema = { type: 'string', format: 'binary' };

/**
 * Adds to the requests of a document what zod does not say in JSON Schema: that a path is required, that an
 * explicit null means an absent field, and that an absent body reads as `{}`.
 */
export function describeRequests(document: Document): void {
  const bodies = new Set<Schema>();
  for (const { operation } of operationsOf(document)) {
    requirePathParameter(operation);
    const { content = {} } = operation.requestBody ?? {};
    for (const [type, media] of Object.entries(content)) media.schema = isRaw(type) ? BINARY : onlyOption(media.schema);
    for (const schema of objectsOf(document, content['application/json']?.schema)) bodies.add(schema);
  }
  for (const schema of bodies) describeBody(schema);
  for (const { operation } of operationsOf(document)) {
    const { requestBody } = operation;
    const schemas = objectsOf(document, requestBody?.content['application/json']?.schema);
    if (requestBody && schemas.some(acceptsNothing)) requestBody.required = false;
  }
}

function isRaw(type: string): boolean {
  return type !== 'application/json' && type !== 'multipart/form-data';
}

/** Of a union with streams, which JSON Schema does not know, one option is left. */
function onlyOption(schema: Schema = {}): Schema {
  const options: unknown = schema['anyOf'];
  return Array.isArray(options) && options.length === 1 ? options[0] : schema;
}

/** A query cannot say that one of two parameters is required; the text may always be there, and the bytes win. */
function requirePathParameter({ parameters = [], requestBody }: Operation): void {
  const isForm = requestBody?.content['multipart/form-data'] !== undefined;
  if (isForm || !parameters.some(({ name }) => name === 'path_b64')) return;
  for (const parameter of parameters) {
    if (parameter.name !== 'path') continue;
    parameter.required = !mayBeAbsent(parameter.schema);
    parameter.schema = unmarked(parameter.schema);
  }
}

/** The objects that a body may match. */
function objectsOf(document: Document, schema: Schema | undefined): Schema[] {
  if (schema === undefined) return [];
  const whole = resolved(document, schema);
  if (whole.properties !== undefined) return [whole];
  const options: unknown = whole['anyOf'] ?? whole['oneOf'];
  return Array.isArray(options) ? options.flatMap((option: Schema) => objectsOf(document, option)) : [];
}

function describeBody(schema: Schema): void {
  const { properties = {}, required: always = [] } = schema;
  const texts = Object.entries(PATHS).flatMap(([bytes, names]) =>
    bytes in properties ? names.filter((text) => text in properties && !mayBeAbsent(properties[text])) : [],
  );
  // As in a query, see above: generators of clients lose the other fields of an object with options of required ones.
  const required = [...new Set([...always, ...texts])];
  if (texts.length > 0) Object.assign(schema, { required });
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    required.includes(name) ? field : orNull(unmarked(field)),
  ]);
  Object.assign(schema, { properties: Object.fromEntries(fields) });
  spreadOptions(schema);
}

function mayBeAbsent(schema: Schema | undefined): boolean {
  return schema?.[MAY_BE_ABSENT] === true;
}

function unmarked(schema: Schema): Schema {
  const { [MAY_BE_ABSENT]: _, ...rest } = schema;
  return rest;
}

/** Makes of an object with options of required fields one whole object for each option. */
function spreadOptions(schema: Schema): void {
  const { oneOf, type, properties = {}, required = [], additionalProperties } = schema;
  if (!Array.isArray(oneOf)) return;
  const names: string[] = oneOf.flatMap((option: Schema) => option.required ?? []);
  const options = oneOf.map(({ required: own = [], properties: stricter = {} }: Schema) => ({
    type,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        name,
        names.includes(name) && !own.includes(name) ? { type: 'null' } : { ...field, ...stricter[name] },
      ]),
    ),
    required: [...required, ...own],
    ...(additionalProperties !== undefined && { additionalProperties }),
  }));
  for (const keyword of ['type', 'properties', 'required', 'additionalProperties'])
    Reflect.deleteProperty(schema, keyword);
  Object.assign(schema, { oneOf: options });
}

/** Whether the empty object matches. */
function acceptsNothing({ required = [], anyOf, allOf, oneOf }: Schema): boolean {
  return required.length === 0 && [anyOf, allOf, oneOf].every((options) => options === undefined);
}

function orNull(schema: Schema): Schema {
  const { type, enum: values, anyOf, description, default: preset, ...rest } = schema;
  const about = { ...(description !== undefined && { description }), ...(preset !== undefined && { default: preset }) };
  if (Array.isArray(anyOf)) return { ...about, ...rest, anyOf: [...anyOf, { type: 'null' }] };
  if (type === undefined) return schema.$ref === undefined ? schema : { ...about, anyOf: [rest, { type: 'null' }] };
  const types = [type, 'null'].flat();
  return { ...about, ...rest, type: types, ...(Array.isArray(values) && { enum: [...values, null] }) };
}
