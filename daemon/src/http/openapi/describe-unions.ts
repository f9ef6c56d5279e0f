import { type Document, resolved, type Schema } from './document.ts';

/** Says of each union of named objects which property tells them apart (OpenAPI 3.1, Discriminator Object). */
export function describeUnions(document: Document): void {
  for (const schema of Object.values(document.components.schemas)) {
    const options: unknown = schema['oneOf'] ?? schema['anyOf'];
    if (!Array.isArray(options) || !options.every(isNamed)) continue;
    const discriminator = discriminatorOf(document, options);
    if (discriminator === undefined) continue;
    Reflect.deleteProperty(schema, 'anyOf');
    Object.assign(schema, { oneOf: options, discriminator });
  }
}

type Named = Schema & { readonly $ref: string };

function isNamed(option: unknown): option is Named {
  return typeof option === 'object' && option !== null && '$ref' in option;
}

function discriminatorOf(document: Document, options: readonly Named[]) {
  const [first] = options;
  const names = first === undefined ? [] : Object.keys(resolved(document, first).properties ?? {});
  for (const propertyName of names) {
    const values = options.map((option) => valuesOf(resolved(document, option), propertyName));
    const all = values.flat();
    if (values.some((words) => words.length === 0) || new Set(all).size !== all.length) continue;
    const mapping = options.flatMap(({ $ref }, at) => (values[at] ?? []).map((value) => [value, $ref]));
    return { propertyName, mapping: Object.fromEntries(mapping) };
  }
  return undefined;
}

/** The words that a required property may have; empty: any. */
function valuesOf({ properties = {}, required = [] }: Schema, name: string): readonly string[] {
  const { const: value, enum: words = [] } = (properties[name] ?? {}) as { const?: unknown; enum?: unknown[] };
  if (!required.includes(name)) return [];
  return [...(value === undefined ? [] : [value]), ...words].map(String);
}
