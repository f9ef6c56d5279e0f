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

/** A TypeScript module with a type for each schema of answers of an OpenAPI document, one a line. */
export function wireTypes(schemas: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(schemas).filter((name) => !name.endsWith('Input'));
  const lines = names.map((name) => `export type ${name} = ${typeOf(schemas[name] as Schema)};`);
  return `${HEAD}${lines.join('\n')}\n`;
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
