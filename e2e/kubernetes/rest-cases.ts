/** One service to be asked. */
export interface Service {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
  /** Undefined if the body is none. */
  // biome-ignore lint/suspicious/noExplicitAny: what an answer has is what the cases ask
  readonly json: any;
}

type Ask = (
  method: string,
  path: string,
  body?: string | FormData,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;
type Case = (ask: Ask, directory: string) => Promise<boolean>;

function asker({ base, headers }: Service): Ask {
  return async (method, path, body, own = {}) => {
    const answer = await fetch(`${base}${path}`, { method, headers: { ...headers, ...own }, ...(body && { body }) });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', bytes, json: parsed(bytes) };
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const BYTES = { 'content-type': 'application/octet-stream' };
const FILES = '/v1/files';

function form(name: string, text: string): FormData {
  const all = new FormData();
  all.set('file', new Blob([text]), name);
  return all;
}

const file = (directory: string, name: string): string => `${FILES}/${directory}/${name}`;

/** The REST interface of sandboxd, as its own tests have it. */
export const REST_CASES: Readonly<Record<string, Case>> = {
  'health is ok': async (ask) => {
    const { status, json } = await ask('GET', '/v1/health');
    return status === 200 && json?.status === 'ok';
  },
  'metadata has variables': async (ask) => typeof (await ask('GET', '/v1/metadata')).json?.env === 'object',
  'PUT creates parents': async (ask, at) => (await ask('PUT', file(at, 'n/x.bin'), '\0\x01', BYTES)).status === 204,
  'GET returns the bytes of a file': async (ask, at) => {
    const { status, type, bytes } = await ask('GET', file(at, 'n/x.bin'));
    return status === 200 && type.includes('octet-stream') && bytes.equals(Buffer.from([0, 1]));
  },
  'encoded slashes separate directories': async (ask, at) => {
    const put = await ask('PUT', `${FILES}/${at}%2Fenc%2Fy.txt`, 'y', BYTES);
    return put.status === 204 && (await ask('GET', file(at, 'enc/y.txt'))).bytes.toString() === 'y';
  },
  'PUT sets the mode': async (ask, at) => {
    const put = await ask('PUT', `${file(at, 'm.sh')}?mode=0755`, '#!', BYTES);
    const { json } = await ask('GET', `${FILES}/${at}`);
    return put.status === 204 && json.entries.find((one: { name: string }) => one.name === 'm.sh')?.mode === '0755';
  },
  'a listing has path and entries': async (ask, at) => {
    const { json } = await ask('GET', `${FILES}/${at}`);
    const keys = ['name', 'size', 'type', 'modified_at'];
    const isWhole = json.entries.every((one: object) => keys.every((key) => key in one));
    const below = json.entries.find((one: { name: string }) => one.name === 'n');
    return 'path' in json && isWhole && below?.type === 'directory';
  },
  'an invalid mode is 400': async (ask, at) => {
    const { status, json } = await ask('PUT', `${file(at, 'm2')}?mode=999`, '', BYTES);
    return status === 400 && 'code' in json;
  },
  'PUT takes a form': async (ask, at) => {
    const put = await ask('PUT', file(at, 'form.txt'), form('f', 'by form'));
    return put.status === 204 && (await ask('GET', file(at, 'form.txt'))).bytes.toString() === 'by form';
  },
  'PUT to a directory is 400': async (ask, at) => (await ask('PUT', file(at, 'n'), 'x', BYTES)).status === 400,
  'HEAD of a file is 200': async (ask, at) => (await ask('HEAD', file(at, 'n/x.bin'))).status === 200,
  'HEAD of nothing is 404': async (ask, at) => (await ask('HEAD', file(at, 'none'))).status === 404,
  'GET of nothing is NOT_FOUND': async (ask, at) => {
    const { status, json } = await ask('GET', file(at, 'none'));
    return status === 404 && json?.code === 'NOT_FOUND';
  },
  'a path outside of the root is PERMISSION_DENIED': async (ask) => {
    const { status, json } = await ask('GET', `${FILES}/..%2F..%2Fetc%2Fpasswd`);
    return status === 403 && json?.code === 'PERMISSION_DENIED';
  },
  'DELETE of a directory with entries is 409': async (ask, at) => (await ask('DELETE', file(at, 'n'))).status === 409,
  'an invalid recursive is 400': async (ask, at) =>
    (await ask('DELETE', `${file(at, 'n')}?recursive=maybe`)).status === 400,
  'DELETE with recursive is 204': async (ask, at) =>
    (await ask('DELETE', `${FILES}/${at}?recursive=true`)).status === 204,
  'DELETE of nothing is 404': async (ask, at) => (await ask('DELETE', `${FILES}/${at}`)).status === 404,
};

const JSON_BODY = { 'content-type': 'application/json' };

/** The older runtime API of the same project. */
export const OLDER_CASES: Readonly<Record<string, Case>> = {
  'the root says ok': async (ask) => (await ask('GET', '/')).json?.status === 'ok',
  'execute has output and code': async (ask) => {
    const { json } = await ask('POST', '/execute', JSON.stringify({ command: "echo 'hello world'" }), JSON_BODY);
    return json?.stdout === 'hello world\n' && json.exit_code === 0;
  },
  'execute has errors and another code': async (ask) => {
    const command = "sh -c 'echo err >&2; exit 7'";
    const { json } = await ask('POST', '/execute', JSON.stringify({ command }), JSON_BODY);
    return json?.stderr === 'err\n' && json.exit_code === 7;
  },
  'upload creates parents': async (ask, at) =>
    (await ask('POST', '/upload', form(`${at}/a.txt`, 'data'))).status === 200,
  'download returns the bytes': async (ask, at) =>
    (await ask('GET', `/download/${at}%2Fa.txt`)).bytes.toString() === 'data',
  'list has name, size, type and time': async (ask, at) => {
    const { json } = await ask('GET', `/list/${at}`);
    return ['name', 'size', 'type', 'mod_time'].every((key) => key in (json?.[0] ?? {}));
  },
  'exists knows a file': async (ask, at) => (await ask('GET', `/exists/${at}%2Fa.txt`)).json?.exists === true,
  'a path outside of the root is 403': async (ask) =>
    (await ask('GET', '/exists/..%2F..%2Fetc%2Fpasswd')).status === 403,
};

/** The outcome of each case, which run in their order: later ones need what earlier ones made. */
export async function outcomes(
  cases: Readonly<Record<string, Case>>,
  service: Service,
  directory: string,
): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const [name, run] of Object.entries(cases)) {
    all[name] = await run(asker(service), directory).then((isMet) => (isMet ? 'passed' : 'failed'), String);
  }
  return all;
}

export function allPassed(cases: Readonly<Record<string, Case>>): Record<string, string> {
  return Object.fromEntries(Object.keys(cases).map((name) => [name, 'passed']));
}
