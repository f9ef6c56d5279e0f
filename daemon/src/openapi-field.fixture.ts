import { openapiDocument } from './openapi-document.ts';

interface Schema {
  readonly $ref?: string;
  readonly [keyword: string]: unknown;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const documents = new Map<string, Promise<Document>>();

function documentOf(surface: 'v1' | 'v2'): Promise<Document> {
  const known = documents.get(surface) ?? (openapiDocument(surface) as Promise<Document>);
  documents.set(surface, known);
  return known;
}

/** The schema of a field of the body or the query of `post /v2/commands`, as the OpenAPI document describes it. */
export async function schemaOfField(surface: 'v1' | 'v2', route: string, field: string): Promise<Schema> {
  const { paths, components } = await documentOf(surface);
  const [method = '', path = ''] = route.split(' ');
  const operation = paths[path]?.[method];
  const resolved = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  const body = resolved(operation?.requestBody?.content['application/json']?.schema);
  // A body of several kinds has the field in one of them.
  const kinds = ((body?.['anyOf'] ?? body?.['oneOf'] ?? [body]) as readonly (Schema | undefined)[]).map(resolved);
  const properties = Object.assign({}, ...kinds.map((kind) => kind?.['properties'])) as Readonly<
    Record<string, Schema>
  >;
  const parameter = operation?.parameters?.find(({ name }) => name === field)?.schema;
  const schema = resolved(properties[field] ?? parameter);
  if (schema === undefined) throw new Error(`${route} has no field ${field}`);
  return schema;
}
