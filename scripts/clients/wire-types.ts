/** The part of JSON Schema that the OpenAPI documents use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

const HEAD = '// Written by `npm run docs` from docs/openapi/v2.json.\n';

type Schemas = Readonly<Record<string, Schema>>;

/** Schemas that the client checks its answers against. */
const CHECKED = [
  'BrowserArrival',
  'BrowserEvaluated',
  'BrowserSnapshot',
  'BrowserTab',
  'CellResultEvent',
  'Checkpoint',
  'CheckpointDiff',
  'CheckpointList',
  'CheckpointRestored',
  'Command',
  'CommandDroppedEvent',
  'CommandExitEvent',
  'CommandInputWritten',
  'CommandOutput',
  'CommandOutputEvent',
  'CommandResult',
  'CommandStartedEvent',
  'ComputerClipboard',
  'FileList',
  'FileStat',
  'FileUploaded',
  'GrepResult',
  'RecordResult',
  'SandboxInfo',
  'SearchResult',
  'Terminal',
  'TerminalExecResult',
  'TerminalScreen',
  'Ticket',
  'Timeline',
  'WatchCreated',
  'WatchEvents',
];

/** Answers with a list, which have no schema of their own: name, field, schema of an item. */
const LISTS: readonly (readonly [string, string, string])[] = [
  ['BrowserTabs', 'tabs', 'BrowserTab'],
  ['CommandList', 'commands', 'Command'],
];

function listOf([name, field, item]: readonly [string, string, string]): [string, Schema, string] {
  const items = { $ref: item };
  const schema = { type: 'object', properties: { [field]: { type: 'array', items } }, required: [field] };
  return [name, schema, typeOf(schema)];
}

/** A TypeScript module with a type for each schema of answers of an OpenAPI document and the shapes of some, one a line. */
export function wireTypes(schemas: Readonly<Record<string, unknown>>): string {
  const all = schemas as Schemas;
  const names = Object.keys(all).filter((name) => !name.endsWith('Input'));
  const types = names.map((name) => `export type ${name} = ${typeOf(all[name] ?? {})};`);
  const checkedNames = CHECKED.map((name): [string, Schema, string] => [name, all[name] ?? {}, name]);
  const every = [...checkedNames, ...LISTS.map(listOf)];
  const shapes = every.map(([name, schema]) => `  ${name}: ${JSON.stringify(shapeOf(schema, all))},`);
  const checked = every.map(([name, , type]) => `  readonly ${name}: ${type};`);
  return `${HEAD}${types.join('\n')}
export interface Checked {\n${checked.join('\n')}\n}
export const SHAPES = {\n${shapes.join('\n')}\n} as const;\n`;
}

/** As clients/typescript/src/core/shape.ts describes it. Values that are not known by their type are not checked. */
function shapeOf(schema: Schema, all: Schemas): unknown {
  if (schema.$ref !== undefined) return shapeOf(all[schema.$ref.split('/').at(-1) ?? ''] ?? {}, all);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && !schema.properties) return shapeOfChoice(choices, all);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const [type, ...others] = types.filter((one) => one !== 'null');
  if (type === undefined || others.length > 0) return 'unknown';
  const shape = shapeNamed(type, schema, all);
  return types.includes('null') ? nullable(shape) : shape;
}

function shapeOfChoice(choices: readonly Schema[], all: Schemas): unknown {
  const [choice, ...others] = choices.filter(({ type }) => type !== 'null');
  if (choice === undefined || others.length > 0) return 'unknown';
  return choices.length > 1 ? nullable(shapeOf(choice, all)) : shapeOf(choice, all);
}

function nullable(shape: unknown): unknown {
  return typeof shape === 'string' ? `${shape}|null` : ['null', shape];
}

function shapeNamed(type: string, { items = {}, properties = {}, required = [] }: Schema, all: Schemas): unknown {
  if (type === 'array') return [shapeOf(items, all)];
  if (type === 'integer') return 'number';
  if (type !== 'object') return type;
  const fields = Object.entries(properties).map(([name, schema]): [string, unknown] => [
    required.includes(name) ? name : `${name}?`,
    shapeOf(schema, all),
  ]);
  return Object.fromEntries(fields);
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && !schema.properties) return choices.map(typeOf).join(' | ');
  const types = schema.type === undefined ? [] : [schema.type].flat();
  return types.map((type) => typeNamed(type, schema)).join(' | ') || 'unknown';
}

function typeNamed(type: string, schema: Schema): string {
  switch (type) {
    case 'array':
      return `readonly (${schema.items ? typeOf(schema.items) : 'unknown'})[]`;
    case 'object':
      return objectType(schema);
    case 'integer':
      return 'number';
    default:
      return type;
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  if (fields.length > 0) return `{ ${fields.join('; ')} }`;
  return `Readonly<Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>>`;
}
