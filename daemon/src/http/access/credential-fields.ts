import { queryParts } from '@sandbox/program/query-parts.ts';

/** Levels of percent-encoding that are decoded: a URL in a parameter of a URL in a parameter. */
const MAX_LEVELS = 3;
/** What the gateway adds about the original request; the daemon does not pass it on. */
const OF_THE_GATEWAY = /^x-original-/;

type Test = (texts: Iterable<string>) => boolean;

/** The fields of one request, as received. */
interface ReceivedFields {
  /** Alternating names and values: `IncomingMessage.headers` would drop or join repeated fields. */
  readonly rawHeaders: readonly string[];
  /** Without the question mark. */
  readonly query: string;
}

/**
 * Names of the headers that contain a credential, in lower case, and of the query parameters, as `?` and their position
 * in `queryParts`. A header field that occurs twice is named if one of its values contains a credential.
 * @param isCredential whether one of these texts is a credential
 */
export function fieldsWithCredential({ rawHeaders, query }: ReceivedFields, isCredential: Test): string[] {
  return [...headersWith(rawHeaders, isCredential), ...parametersWith(query, isCredential)];
}

function headersWith(rawHeaders: readonly string[], isCredential: Test): Set<string> {
  const names = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (OF_THE_GATEWAY.test(name)) continue;
    if (isCredential(textsOfHeader(rawHeaders[i + 1] ?? ''))) names.add(name);
  }
  return names;
}

function parametersWith(query: string, isCredential: Test): string[] {
  if (query === '') return [];
  const flags = query.split('&').flatMap((parameter) => {
    // A semicolon may be part of the key.
    const value = behindEquals(parameter);
    const whole = isCredential([value, decoded(value)]);
    return queryParts(`${parameter}&`).map((part) => whole || isCredential(textsIn(part.slice(0, -1))));
  });
  return flags.flatMap((found, index) => (found ? [`?${index}`] : []));
}

function* textsOfHeader(value: string): Generator<string> {
  yield* textsIn(value);
  for (const item of value.split(',')) yield item.trim();
  const [, scheme = '', rest = ''] = /^(\S+)\s+(\S.*)$/.exec(value.trim()) ?? [];
  yield rest;
  if (scheme.toLowerCase() !== 'basic') return;
  const userAndPassword = Buffer.from(rest, 'base64').toString('latin1');
  yield userAndPassword.slice(0, userAndPassword.indexOf(':'));
  yield userAndPassword.slice(userAndPassword.indexOf(':') + 1);
}

/** Every part of a text if an application could read a credential; their total length is linear in the text's. */
function* textsIn(text: string, level = 0): Generator<string> {
  yield text;
  for (const piece of text.split(/[\s,;&?#]+/)) {
    const value = behindEquals(piece).replace(/^"(.*)"$/, '$1');
    yield piece;
    yield value;
    const plain = decoded(value);
    if (plain !== value && level < MAX_LEVELS) yield* textsIn(plain, level + 1);
  }
}

/** The text behind the first `=`, or the whole text. */
function behindEquals(text: string): string {
  return text.slice(text.indexOf('=') + 1);
}

/** Credentials are ASCII, so that bytes of other characters need no decoding. */
function decoded(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
