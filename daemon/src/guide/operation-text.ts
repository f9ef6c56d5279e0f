import { fieldsOf, fieldText, resolved, type Schema, type Schemas } from './schema-text.ts';

/** The parts of an OpenAPI operation that the guide prints. */
export interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

const JSON_TYPE = 'application/json';

/** One route in one line: `POST /v2/x?a {b*} → c, d: what it does`. */
export function operationText(
  method: string,
  path: string,
  operation: Operation,
  { schemas, withAnswer }: { readonly schemas: Schemas; readonly withAnswer: boolean },
): string {
  const answer = withAnswer ? answerText(operation, schemas) : '';
  return `${method.toUpperCase()} ${path}${queryText(operation)}${bodyText(operation, schemas)}${answer}: ${operation.summary ?? ''}`;
}

function queryText({ parameters = [] }: Operation): string {
  const fields = parameters
    .filter(({ in: place, name }) => place === 'query' && !name.endsWith('_b64'))
    .map(({ name, schema = {}, required = false }) => fieldText(name, schema, required));
  return fields.length === 0 ? '' : ` ?${fields.join(', ')}`;
}

function bodyText({ requestBody }: Operation, schemas: Schemas): string {
  const content = requestBody?.content ?? {};
  const json = resolved(content[JSON_TYPE]?.schema ?? {}, schemas);
  const bodies = [json, ...(json.anyOf ?? json.oneOf ?? [])].map((body) => fieldsOf(body, schemas));
  const written = bodies.filter((fields) => fields.length > 0).map((fields) => `{${fields.join(', ')}}`);
  if (written.length > 0) return ` ${written.join(' | ')}`;
  const [type] = Object.keys(content);
  return type === undefined ? '' : ` (${type})`;
}

/** The fields of `data` by name; the types of other answers. */
function answerText({ responses }: Operation, schemas: Schemas): string {
  const content = responses?.['200']?.content ?? {};
  const body = resolved(content[JSON_TYPE]?.schema ?? {}, schemas);
  const data = body.properties?.['data'];
  if (data === undefined) {
    const types = Object.keys(content).filter((type) => type !== JSON_TYPE);
    return types.length === 0 ? '' : ` → ${types.join(', ')}`;
  }
  const list = data.type === 'array' ? '[]' : '';
  const names = Object.keys(resolved(data.items ?? data, schemas).properties ?? {});
  const shown = names.filter((name) => !name.endsWith('_b64'));
  return shown.length === 0 ? '' : ` → ${shown.join(', ')}${list}`;
}
