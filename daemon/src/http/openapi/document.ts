/** A JSON Schema of the document. */
export interface Schema {
  readonly $ref?: string;
  type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  additionalProperties?: boolean | Schema;
  readonly [keyword: string]: unknown;
}

export interface Media {
  schema?: Schema;
  [keyword: string]: unknown;
}

export interface Response {
  description: string;
  content?: Record<string, Media>;
  [keyword: string]: unknown;
}

export interface Reference {
  readonly $ref: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  required?: boolean;
  schema: Schema;
  [keyword: string]: unknown;
}

export interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response | Reference>;
  [keyword: string]: unknown;
}

/** The parts of an OpenAPI 3.1 document that this folder reads or writes. */
export interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    schemas: Record<string, Schema>;
    responses?: Record<string, Response>;
    readonly [keyword: string]: unknown;
  };
  [keyword: string]: unknown;
}

export function isReference(response: Response | Reference): response is Reference {
  return typeof response.$ref === 'string';
}

/** Every operation of the document with its path and method. */
export function operationsOf({ paths }: Document): { path: string; method: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** The schema itself, if it is a reference to a component. */
export function resolved({ components }: Document, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}
