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

interface PrintedOption {
  readonly route: string;
  readonly fields: readonly string[];
}

export interface OperationOptions {
  readonly schemas: Schemas;
  readonly withAnswer: boolean;
  /** Options of bodies that were printed: their first field, its route, all fields. */
  readonly bodies: Map<string, PrintedOption>;
  /** Lists of fields of answers that were printed, and their routes. */
  readonly answers: Map<string, string>;
}

/** Characters of the fields of an answer from which on a repetition names its route instead. */
const LONG_ANSWER = 24;
const ANY_BYTES: ReadonlySet<string> = new Set(['application/octet-stream', '*/*']);
const JSON_TYPE = 'application/json';

/** One route in one line: `POST /v2/x?a {b*} → c, d: what it does`. */
export function operationText(method: string, path: string, operation: Operation, options: OperationOptions): string {
  const route = `${method.toUpperCase()} ${path}`;
  const body = bodyText(route, operation, options);
  const answer = options.withAnswer ? answerText(route, operation, options) : '';
  return `${shortened(`${route}${queryText(operation)}${body}${answer}`)}: ${operation.summary ?? ''}`;
}

/** The one place of a path says by its position what it is the id of. */
const shortened = (text: string): string => text.replaceAll(/\{[a-z]+_id\}/g, '{id}');

function queryText({ parameters = [] }: Operation): string {
  const fields = parameters
    .filter(({ in: place, name }) => place === 'query' && !name.endsWith('_b64'))
    .map(({ name, schema = {}, required = false }) => fieldText(name, schema, required));
  return fields.length === 0 ? '' : ` ?${fields.join(', ')}`;
}

function bodyText(route: string, { requestBody }: Operation, { schemas, bodies }: OperationOptions): string {
  const content = requestBody?.content ?? {};
  const json = resolved(content[JSON_TYPE]?.schema ?? {}, schemas);
  if (json.properties !== undefined) {
    const fields = fieldsOf({ ...json, required: requiredOf(json) }, schemas);
    if (fields.length > 0) return ` ${objectText(fields)}`;
  }
  const options = (json.anyOf ?? json.oneOf ?? []).map((body) => fieldsOf(body, schemas));
  if (options.length > 0) return ` ${unionText(route, options, bodies)}`;
  const [type] = Object.keys(content);
  return type === undefined ? '' : ` (${type})`;
}

/** Names of required fields; of a field and its twin one is. */
function requiredOf({ required = [], anyOf = [], allOf = [] }: Schema): readonly string[] {
  return [...required, ...[...anyOf, ...allOf].flatMap(requiredOf)];
}

const objectText = (fields: readonly string[] = []): string => `{${fields.join(', ')}}`;

/** The options of a body, or the route before it that has them, with what is different. */
function unionText(route: string, options: readonly (readonly string[])[], bodies: OperationOptions['bodies']): string {
  const printed = options.flatMap(([first = '']) => bodies.get(first) ?? []);
  const routes = new Set(printed.map((option) => option.route));
  if (printed.length === options.length && routes.size === 1) return differenceText(options, printed);
  for (const fields of options) bodies.set(fields[0] ?? '', { route, fields });
  return grouped(options).map(objectText).join(' | ');
}

/** The words of the first field, the route that has printed the options, and the fields that it does not have. */
function differenceText(options: readonly (readonly string[])[], printed: readonly PrintedOption[]): string {
  const [name = ''] = options[0]?.[0]?.split(' ') ?? [];
  const words = options.map(([first = '']) => first.slice(name.length + 1));
  const more = options.flatMap((fields, index) => fields.filter((field) => !printed[index]?.fields.includes(field)));
  return objectText([`${name} ${words.join('|')}`, `the rest as ${printed[0]?.route}`, ...new Set(more)]);
}

/** Options that differ in the word of their first field alone are one: `kind* A|B, x num`. */
function grouped(options: readonly (readonly string[])[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const [first = '', ...rest] of options) {
    const [name = '', word = ''] = first.split(' ');
    const key = [name, ...rest].join();
    const [before, ...others] = groups.get(key) ?? [name, ...rest];
    groups.set(key, [groups.has(key) ? `${before}|${word}` : first, ...others]);
  }
  return [...groups.values()];
}

/** The fields of `data` by name, without those that repeat the request; the types of other answers. */
function answerText(route: string, operation: Operation, { schemas, answers }: OperationOptions): string {
  const { responses } = operation;
  const content = responses?.['200']?.content ?? {};
  const body = resolved(content[JSON_TYPE]?.schema ?? {}, schemas);
  const data = body.properties?.['data'];
  if (data === undefined) {
    const types = typesText(Object.keys(content).filter((type) => type !== JSON_TYPE));
    return types === '' ? '' : ` → ${types}`;
  }
  const list = data.type === 'array' ? '[]' : '';
  const names = Object.keys(resolved(data.items ?? data, schemas).properties ?? {});
  const given = new Set([...placesOf(route), ...namesOf(operation, schemas)]);
  const shown = names.filter((name) => !name.endsWith('_b64') && (list !== '' || !given.has(name)));
  const text = `${shown.join(', ')}${list}`;
  const whole = `${names.join(', ')}${list}`;
  const before = answers.get(whole);
  if (before !== undefined && text.length > before.length) return ` → as ${before}`;
  if (text.length > LONG_ANSWER) answers.set(whole, route);
  return shown.length === 0 ? '' : ` → ${text}`;
}

/** Media types; formats of images are one, and the types of any bytes are left out beside others. */
function typesText(types: readonly string[]): string {
  const named = types.filter((type) => !ANY_BYTES.has(type));
  const shown = named.length === 0 ? types.slice(0, 1) : named;
  return named.length > 0 && named.every((type) => type.startsWith('image/')) ? 'image' : shown.join(', ');
}

/** Names of the parameters in a path. */
const placesOf = (path: string): string[] =>
  path
    .split('{')
    .slice(1)
    .map((part) => part.slice(0, part.indexOf('}')));

/** Names of the fields of a JSON body. The answer to a query may have another value, such as the next cursor. */
function namesOf({ requestBody }: Operation, schemas: Schemas): string[] {
  const body = resolved(requestBody?.content?.[JSON_TYPE]?.schema ?? {}, schemas);
  return Object.keys(body.properties ?? {});
}
