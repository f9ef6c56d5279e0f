import { type Document, type Media, operationsOf, resolved, type Schema } from './document.ts';

/**
 * Moves the examples of schemas to the bodies, where each tool looks for them. A schema has its example as `example`,
 * since zod drops `examples` beside a transformation.
 */
export function describeExamples(document: Document): void {
  const bodies = operationsOf(document).flatMap(({ operation }) =>
    Object.entries(operation.requestBody?.content ?? {}),
  );
  const found = bodies.flatMap(([type, media]) =>
    schemasOf(document, media).map((schema) => ({ type, media, schema })),
  );
  for (const { type, media, schema } of found) {
    const { example } = schema;
    const fits = type !== 'application/octet-stream' || typeof example === 'string';
    if (example !== undefined && fits) media['example'] = example;
  }
  for (const { schema } of found) Reflect.deleteProperty(schema, 'example');
}

/** The schema of a body, and the options of one that may be a stream too. */
function schemasOf(document: Document, { schema = {} }: Media): Schema[] {
  const options: unknown = schema['anyOf'];
  return [schema, ...(Array.isArray(options) ? options : [])].map((one) => resolved(document, one));
}
