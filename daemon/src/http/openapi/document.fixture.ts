import { Ajv2020 } from 'ajv/dist/2020.js';
import type { TestApp } from '../../app.fixture.ts';
import { type Document, isReference, type Operation, operationsOf, type Response, type Schema } from './document.ts';

/** A request as the document describes it: the parameters of the query as they are typed there. */
export interface DescribedRequest {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The document of a surface, with a validator for its schemas. */
export class DocumentUnderTest {
  readonly document: Document;
  readonly #ajv = new Ajv2020({ strict: false, formats: { binary: true, 'date-time': true, uri: true } });

  private constructor(document: Document) {
    this.document = document;
    this.#ajv.addSchema(document, 'document');
  }

  static async read(daemon: TestApp, surface: string): Promise<DocumentUnderTest> {
    return new DocumentUnderTest((await daemon.inject(`/${surface}/openapi.json`)).json());
  }

  /** @param route such as `post /v2/commands` */
  operation(route: string): Operation {
    const [method = '', path = ''] = route.split(' ');
    const operation = this.document.paths[path]?.[method];
    if (operation === undefined) throw new Error(`the document has no ${route}`);
    return operation;
  }

  responsesOf({ responses }: Operation): [status: string, response: Response][] {
    return Object.entries(responses).map(([status, response]) => [
      status,
      isReference(response) ? this.#shared(response.$ref) : response,
    ]);
  }

  operations(): Operation[] {
    return operationsOf(this.document).map(({ operation }) => operation);
  }

  /** Whether the request matches the schemas of its route. */
  admits(route: string, { query = {}, body }: DescribedRequest): boolean {
    const { parameters = [], requestBody } = this.operation(route);
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    const schema = {
      type: 'object',
      properties: Object.fromEntries(inQuery.map((parameter) => [parameter.name, parameter.schema])),
      required: inQuery.filter(({ required }) => required).map(({ name }) => name),
    };
    if (!this.matches(schema, query)) return false;
    const media = requestBody?.content['application/json'];
    if (media?.schema === undefined) return true;
    return body === undefined ? requestBody?.required !== true : this.matches(media.schema, body);
  }

  matches(schema: Schema, value: unknown): boolean {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    return this.#ajv.compile(JSON.parse(text))(value) as boolean;
  }

  #shared(reference: string): Response {
    const response = this.document.components.responses?.[reference.split('/').at(-1) ?? ''];
    if (response === undefined) throw new Error(`the document has no ${reference}`);
    return response;
  }
}
