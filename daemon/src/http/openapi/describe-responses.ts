import {
  type Document,
  isReference,
  type Media,
  type Operation,
  operationsOf,
  type Reference,
  type Response,
} from './document.ts';

/** What a status means, if a route does not say it. */
const MEANINGS: Readonly<Record<string, string>> = {
  101: 'The connection is a WebSocket from now on.',
  200: 'Done.',
  206: 'The requested range.',
  304: 'Not modified.',
};

/** The name and the meaning of an error that has the same content on every route. */
const ERRORS: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  400: ['BadRequest', 'The service cannot carry out the request; the message says why.'],
  401: ['Unauthorized', 'A key is required.'],
  403: ['Forbidden', 'The system refuses it, or the host or the origin of the request is not allowed.'],
  404: ['NotFound', 'The route or the object does not exist.'],
  408: ['RequestTimeout', 'The request did not arrive in time.'],
  409: ['Conflict', 'The state of the object does not permit it.'],
  412: ['PreconditionFailed', 'A precondition of the headers does not hold.'],
  413: ['ContentTooLarge', 'The body or the file is too large.'],
  416: ['RangeNotSatisfiable', 'The range lies outside the file.'],
  422: ['UnprocessableContent', 'A field of the request does not match its schema.'],
  426: ['UpgradeRequired', 'The route needs a WebSocket handshake.'],
  429: ['TooManyRequests', 'A ceiling is reached; Retry-After says when to try again.'],
  431: ['HeadersTooLarge', 'The header section is over its limit.'],
  500: ['InternalError', 'A defect, or a failure of the file system.'],
  501: ['NotImplemented', 'The machine lacks what the operation needs.'],
  503: ['Unavailable', 'Something that the operation needs does not work now.'],
  507: ['InsufficientStorage', 'The disk is full.'],
};

/** Statuses that the server answers before or after every route. */
const ANY_ROUTE = ['400', '403', '408', '431', '500', '503'] as const;
const BEHIND_THE_GATE = ['401'] as const;
const WITH_FIELDS = ['422'] as const;
const WITH_A_BODY = ['413', '422'] as const;

const WITHOUT_CONTENT = new Set(['101', '304']);
const STREAMS = /event-stream$|ndjson$/;

/** Keyword of an operation with the name of the schema of its events. It is removed from the document. */
export const EVENTS = 'x-events';

const BODY = '#/components/schemas/ErrorBody';

/** Adds the responses that every route can have, and gives errors their content type, which is JSON on every route. */
export function describeResponses(document: Document): void {
  for (const { operation } of operationsOf(document)) {
    const { responses } = operation;
    for (const status of addedStatuses(operation)) responses[status] ??= { description: '' };
    for (const [status, response] of Object.entries(responses)) {
      if (!isReference(response)) responses[status] = described(status, response, operation[EVENTS]);
    }
    delete operation[EVENTS];
  }
  const used = new Set(
    operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses).map(nameOf)),
  );
  const shared = Object.entries(ERRORS).filter(([, [name]]) => used.has(name));
  document.components.responses = Object.fromEntries(
    shared.map(([, [name, description]]) => [
      name,
      { description, content: { 'application/json': { schema: { $ref: BODY } } } },
    ]),
  );
}

function nameOf(response: Response | Reference): string | undefined {
  return isReference(response) ? response.$ref.split('/').at(-1) : undefined;
}

function described(status: string, { description, content, ...rest }: Response, events: unknown): Response | Reference {
  const [name, meaning = MEANINGS[status] ?? ''] = ERRORS[status] ?? [];
  const [media = { schema: { $ref: BODY } }] = Object.values(content ?? {});
  const about = description === '' || description === 'Default Response' ? meaning : description;
  if (WITHOUT_CONTENT.has(status)) return { description: about };
  if (Number(status) < 400)
    return { description: about, ...rest, ...(content && { content: withStreams(content, events) }) };
  if (name !== undefined && media.schema?.$ref === BODY) return { $ref: `#/components/responses/${name}` };
  return { description: about, content: { 'application/json': media } };
}

/** Of the types that a route produces only JSON matches the schema; the others are text or bytes. */
function withStreams(content: Record<string, Media>, events: unknown): Record<string, Media> {
  const entries = Object.entries(content).map(([type, media]) => [type, isJson(type) ? media : streamed(type, events)]);
  return Object.fromEntries(entries);
}

function isJson(type: string): boolean {
  return type === 'application/json';
}

/** The schema of a stream is that of one of its events, which generators of clients read. */
function streamed(type: string, events: unknown): Media {
  if (STREAMS.test(type) && events !== undefined) return { schema: { $ref: `#/components/schemas/${events}` } };
  return {
    schema: type.startsWith('text/') || STREAMS.test(type) ? { type: 'string' } : { type: 'string', format: 'binary' },
  };
}

function addedStatuses({ security, requestBody, parameters = [] }: Operation): string[] {
  const isPublic = Array.isArray(security) && security.length === 0;
  return [
    ...ANY_ROUTE,
    ...(isPublic ? [] : BEHIND_THE_GATE),
    ...(requestBody === undefined ? [] : WITH_A_BODY),
    ...(parameters.some((parameter) => parameter.in === 'path') ? ['404'] : []),
    ...(parameters.length === 0 ? [] : WITH_FIELDS),
  ];
}
