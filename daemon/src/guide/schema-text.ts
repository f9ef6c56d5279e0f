/** The parts of a JSON schema that the guide prints. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  /** Of a field of a body. */
  readonly 'x-default'?: unknown;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** Defaults that are left out: a bool is false, a list and an object are empty. */
const USUAL_DEFAULTS: ReadonlySet<string> = new Set(['', 'false', '[]', '{}']);
/** A longer default is left out. */
const DEFAULT_MAX_CHARACTERS = 20;
/** What stands for a type that is alone, since every second field has one of them. */
const SIGNS: Readonly<Record<string, string>> = {
  int: '#',
  num: '#',
  bool: '?',
  object: '{}',
  'text[]': '[]',
};
const SHORT_TYPES: Readonly<Record<string, string>> = { integer: 'int', number: 'num', boolean: 'bool' };
/** A longer list of words is cut: names of signals. */
const WORDS_MAX = 24;
const FLAG_WORDS: ReadonlySet<string> = new Set([
  '',
  ...'true false 1 0 yes no on off y n enabled disabled'.split(' '),
]);

/** The schema itself if it is a reference. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/**
 * Fields as `command*, timeout#=30, wait?, mode sync|async`: a star marks what is required, `#` a number, `?` a bool,
 * `{}` an object and `[]` a list of texts; a field without a type is text.
 * The `*_b64` twins of paths are left out; the guide describes them once.
 */
export function fieldsOf(schema: Schema, schemas: Schemas): string[] {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  return Object.entries(properties)
    .filter(([name]) => !name.endsWith('_b64'))
    .map(([name, field]) => fieldText(name, field, required.includes(name)));
}

export function fieldText(name: string, schema: Schema, isRequired: boolean): string {
  const type = typeText(schema);
  const given = schema.default ?? schema['x-default'];
  const value = given === undefined ? '' : JSON.stringify(given).replaceAll('"', '');
  const fallback = USUAL_DEFAULTS.has(value) || value.length > DEFAULT_MAX_CHARACTERS ? '' : `=${value}`;
  return `${name}${isRequired ? '*' : ''}${SIGNS[type] ?? (type === '' ? '' : ` ${type}`)}${fallback}`;
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return 'object';
  if (schema.enum) return wordsText(schema.enum.filter((value) => value !== null));
  if (schema.const !== undefined) return String(schema.const);
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return unionText(union.filter(({ type }) => type !== 'null'));
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  if (types.includes('array')) return `${typeText(schema.items ?? {}) || 'text'}[]`;
  if (types.length === 1 && types[0] === 'string') return '';
  return types.map((type) => (type === 'string' ? 'text' : (SHORT_TYPES[type] ?? type))).join('|');
}

/** Text alone has no name; beside other types it has. A boolean as text in a query is a boolean. */
function unionText(members: readonly Schema[]): string {
  if (members.some(({ type }) => type === 'boolean') && members.every(isFlag)) return 'bool';
  const words = [...new Set(members.map(typeText))];
  return words.length === 1 ? (words[0] ?? '') : words.map((word) => word || 'text').join('|');
}

function isFlag({ type, enum: words = [] }: Schema): boolean {
  return type === 'boolean' || areFlags(words);
}

/** The words are those of a truth value: 0 and 1, yes and no, true and false. */
function areFlags(words: readonly unknown[]): boolean {
  return words.length > 0 && words.every((word) => FLAG_WORDS.has(String(word)));
}

function wordsText(words: readonly unknown[]): string {
  if (areFlags(words)) return 'bool';
  return words.length > WORDS_MAX ? `${words[0]}|…` : words.join('|');
}
