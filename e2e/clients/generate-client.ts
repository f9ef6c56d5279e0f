interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
}

/** The parts of an OpenAPI document that a client is made from. */
export interface WireDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * A TypeScript module with a class `Client`, which has a method for each JSON operation under the prefixes, and a type
 * for each schema. `check` of its constructor gets the name of the schema of an answer and the answer.
 */
export function generateClient(document: WireDocument, prefixes: readonly string[]): string {
  const types = Object.entries(document.components.schemas).map(([name, schema]) => typeText(name, schema));
  const methods = Object.entries(document.paths)
    .filter(([path]) => prefixes.some((prefix) => path.startsWith(prefix)))
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) => methodText(method, path, operation)),
    );
  return `${types.join('\n')}
type Check = (schema: string, answer: unknown) => void;
export class Client {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #check: Check;
  constructor(base: string, headers: Record<string, string>, check: Check) {
    this.#base = base;
    this.#headers = headers;
    this.#check = check;
  }
${methods.join('\n')}
  async #call(method: string, path: string, body: unknown, schema: string): Promise<unknown> {
    const headers = body === undefined ? this.#headers : { ...this.#headers, 'content-type': 'application/json' };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    for (;;) {
      const response = await fetch(this.#base + path, init);
      const text = await response.text();
      if (response.status === 429) {
        await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after')) * 1000));
        continue;
      }
      if (response.status !== 200) throw new Error(\`\${method} \${path}: \${response.status} \${text}\`);
      const answer: unknown = JSON.parse(text);
      if (schema !== '') this.#check(schema, answer);
      return answer;
    }
  }
}
`;
}

/** `postBashExec` for POST /v1/bash/exec; parameters of the path come first. */
function methodText(method: string, path: string, { requestBody, responses }: Operation): string[] {
  const answer = responses?.['200']?.content?.['application/json'];
  if (answer === undefined || (requestBody && !requestBody.content?.['application/json'])) return [];
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const body = requestBody?.content?.['application/json']?.schema;
  const words = path.replace('/v1/', '').split(/[^a-z]+/i);
  const name = method + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
  const fields = [...parameters.map((parameter) => `${parameter}: string`), ...(body ? [`body: ${typeOf(body)}`] : [])];
  const url = path.replaceAll(/\{(\w+)\}/g, (_, parameter) => `\${encodeURIComponent(${parameter})}`);
  const result = answer.schema === undefined ? 'unknown' : typeOf(answer.schema);
  const checked = answer.schema?.$ref?.split('/').at(-1) ?? '';
  const call = `this.#call('${method.toUpperCase()}', \`${url}\`, ${body ? 'body' : 'undefined'}, '${checked}')`;
  return [`  async ${name}(${fields.join(', ')}): Promise<${result}> {\n    return (await ${call}) as ${result};\n  }`];
}

function typeText(name: string, schema: Schema): string {
  return `export type ${name} = ${typeOf(schema)};`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === 'array') return `(${schema.items ? typeOf(schema.items) : 'unknown'})[]`;
  if (schema.type === 'object' || schema.properties) return objectType(schema);
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  return schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null' ? schema.type : 'unknown';
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  if (fields.length > 0) return `{ ${fields.join('; ')} }`;
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
}
