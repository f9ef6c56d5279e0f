import { request as open } from 'node:http';
import { type Document, isReference, type Operation, operationsOf } from './document.ts';

/** Requests in place of the examples that create what an operation uses: it has to run still. */
const EARLIER: Readonly<Record<string, readonly [operationId: string, body: object]>> = {
  writeCommandStdin: ['runCommand', { command: 'cat', mode: 'async' }],
  killCommand: ['runCommand', { command: 'sleep 60', mode: 'async' }],
  readBashOutput: ['execBash', { command: 'echo hello', session_id: 'build' }],
  writeBashStdin: ['execBash', { command: 'cat', session_id: 'build', async_mode: true }],
  killBashCommand: ['execBash', { command: 'sleep 60', session_id: 'build', async_mode: true }],
  viewShell: ['createShellSession', { id: 'work' }],
  waitForShell: ['createShellSession', { id: 'work' }],
  writeToShell: ['createShellSession', { id: 'work' }],
  killShellCommand: ['createShellSession', { id: 'work' }],
  updateShellSession: ['createShellSession', { id: 'work' }],
  answerInput: ['executeCode', { language: 'python', code: 'input()', async: true }],
  clickElement: ['navigate', { url: 'data:text/html,<a href="%23here">a link</a>' }],
  fillField: ['navigate', { url: 'data:text/html,<input>' }],
  hoverElement: ['navigate', { url: 'data:text/html,<a href="%23here">a link</a>' }],
  dragElement: ['navigate', { url: 'data:text/html,<h1>a title</h1>' }],
  selectOptions: ['navigate', { url: 'data:text/html,<select><option>small<option>large</select>' }],
  waitForDownload: ['navigate', { url: 'data:application/octet-stream,bytes' }],
  giveFiles: ['navigate', { url: 'data:text/html,<input type=file>' }],
};
/** What is read, with the parameters of the operation, until an earlier request has come so far. */
const THEN: Readonly<Record<string, string>> = {
  answerInput: '/v2/code/executions/{execution_id}?wait=true&wait_timeout=60',
};
/** The names in examples; each run has its own. */
const NAMES = /(?<=^|")(?:work|build|analysis)(?="|$)|\/tmp\/example\b/g;
/** An archive without entries (POSIX ustar: two blocks of zeros). */
const EMPTY_TAR = new Uint8Array(1024);
const TAKES_TAR = ['importTree', 'importCheckpoint'];

interface Called {
  readonly status: number;
  /** Undefined where the answer is not JSON. */
  readonly json: unknown;
}

/** Executes the examples of a document on a service. */
export class ExampleRun {
  readonly #document: Document;
  readonly #service: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  #count = 0;

  constructor(
    document: Document,
    service: { readonly url: string; readonly headers?: Readonly<Record<string, string>> },
  ) {
    this.#document = document;
    this.#service = { url: service.url, headers: service.headers ?? {} };
  }

  /** The status of the example of an operation, after what creates the things that it names. */
  async call(operationId: string): Promise<number> {
    this.#count += 1;
    const suffix = `-${process.pid}-${this.#count}`;
    await this.#makeFile(`/tmp/example${suffix}`);
    return (await this.#send(operationId, suffix, await this.#create(operationId, suffix))).status;
  }

  async #makeFile(directory: string): Promise<void> {
    const command = `mkdir -p ${directory} && echo hello > ${directory}/hello.txt`;
    const body = JSON.stringify({ command });
    const headers = { ...this.#service.headers, 'content-type': 'application/json' };
    const answer = await fetch(`${this.#service.url}/v2/commands`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  }

  /** The parameters by the link from the operation that creates what this one uses. */
  async #create(operationId: string, suffix: string): Promise<Readonly<Record<string, string>>> {
    const earlier = EARLIER[operationId];
    const link = linkTo(this.#document, operationId);
    const from = earlier?.[0] ?? link?.from;
    if (from === undefined) return {};
    const { status, json } = await this.#send(from, suffix, {}, earlier?.[1]);
    if (status !== 200) throw new Error(`${from}, before ${operationId}, answered ${status}: ${JSON.stringify(json)}`);
    const values = Object.fromEntries(
      Object.entries(link?.parameters ?? {}).map(([name, expression]) => [
        name,
        at(json, expression.split('#')[1] ?? ''),
      ]),
    );
    const then = THEN[operationId]?.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
    if (then) await (await fetch(this.#service.url + then, { headers: this.#service.headers })).arrayBuffer();
    return values;
  }

  async #send(
    operationId: string,
    suffix: string,
    values: Readonly<Record<string, string>>,
    given?: object,
  ): Promise<Called> {
    const found = operationsOf(this.#document).find(({ operation }) => operation.operationId === operationId);
    if (found === undefined) throw new Error(`the document has no ${operationId}`);
    const { path, method, operation } = found;
    const url = this.#service.url + urlOf(path, operation, values, suffix);
    const { headers, body } = bodyOf(operation, given, suffix);
    if ('101' in operation.responses) return { status: await upgrade(url, this.#service.headers), json: undefined };
    const answer = await fetch(url, {
      method: method.toUpperCase(),
      headers: { ...this.#service.headers, ...headers },
      ...(body !== undefined && { body }),
    });
    const type = answer.headers.get('content-type') ?? '';
    if (type.startsWith('application/json')) return { status: answer.status, json: await answer.json() };
    await answer.body?.cancel();
    return { status: answer.status, json: undefined };
  }
}

/** The first link to an operation, and the operation with it. */
function linkTo(document: Document, operationId: string) {
  for (const { operation } of operationsOf(document)) {
    const response = operation.responses['200'];
    if (response === undefined || isReference(response)) continue;
    const links = Object.values((response['links'] ?? {}) as Record<string, Link>);
    const link = links.find((one) => one.operationId === operationId);
    if (link && operation.operationId) return { from: operation.operationId, parameters: link.parameters };
  }
  return undefined;
}

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** @param pointer RFC 6901, without escapes */
function at(json: unknown, pointer: string): string {
  const value = pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], json);
  if (typeof value !== 'string') throw new Error(`no text at ${pointer}`);
  return value;
}

/** The URL with the required parameters. */
function urlOf(
  path: string,
  { parameters = [] }: Operation,
  values: Readonly<Record<string, string>>,
  suffix: string,
): string {
  const query = new URLSearchParams();
  let whole = path;
  for (const { name, in: place, required, example } of parameters) {
    const value = values[name] ?? owned(String(example), suffix);
    if (place === 'path') whole = whole.replace(`{${name}}`, value);
    else if (required && place === 'query') query.set(name, value);
  }
  return query.size > 0 ? `${whole}?${query}` : whole;
}

function bodyOf({ operationId, requestBody }: Operation, given: object | undefined, suffix: string) {
  const [type = '', media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const example: unknown = given ?? media?.['example'];
  if (TAKES_TAR.includes(operationId ?? '')) return { headers: { 'content-type': type }, body: EMPTY_TAR };
  if (example === undefined) return { headers: {} };
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  const own = owned(text, suffix);
  if (type !== 'multipart/form-data') return { headers: { 'content-type': type }, body: own };
  const { file, path } = JSON.parse(own) as { file: string; path: string };
  const form = new FormData();
  form.set('path', path);
  form.set('file', new Blob([file]), 'hello.txt');
  return { headers: {}, body: form };
}

function owned(text: string, suffix: string): string {
  return text.replaceAll(NAMES, (name) => name + suffix);
}

/** The status of a WebSocket's handshake (RFC 6455 §4). */
function upgrade(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
  };
  const request = open(url, { headers: { ...headers, ...handshake } });
  request.once('upgrade', (response, socket) => {
    socket.destroy();
    resolve(response.statusCode ?? 0);
  });
  request.once('response', (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  request.once('error', reject);
  request.end();
  return promise;
}
