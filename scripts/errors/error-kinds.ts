/** A kind of error: what docs/errors.md says of it, and a request that has it. */
export interface ErrorKind {
  readonly status: number;
  readonly meaning: string;
  readonly nextStep: string;
  readonly example: ErrorExample;
}

export interface ErrorExample {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or text as it is. */
  readonly body?: object | string;
  /** The service that is asked; default: one without a key. */
  readonly service?: 'with a key' | 'on Windows';
  /** The example needs a state that no request makes: it is the answer of a route that fails so. */
  readonly isMade?: boolean;
  /** Shown instead of the headers. */
  readonly shown?: string;
}

const FILE = 'DIR/hello.txt';
const LONG = 'x'.repeat(20_000);

export const ERROR_KINDS: readonly ErrorKind[] = [
  {
    status: 400,
    meaning: 'The service cannot carry out the request as it is: a value does not fit what there is.',
    nextStep: 'Correct what `message` names; `hint` often has a call that is valid.',
    example: {
      method: 'POST',
      url: '/v2/fs/edit',
      body: { path: FILE, command: 'str_replace', old_str: 'absent', new_str: '' },
    },
  },
  {
    status: 400,
    meaning: 'The body is not JSON.',
    nextStep: 'Send one JSON object; quote names and texts with ".',
    example: { method: 'POST', url: '/v2/commands', body: '{command: ls}' },
  },
  {
    status: 401,
    meaning: 'The credential is missing or wrong.',
    nextStep: 'Send the key as `Authorization: Bearer`, as `x-api-key`, or a ticket.',
    example: { method: 'GET', url: '/v2/sandbox', service: 'with a key' },
  },
  {
    status: 403,
    meaning: 'The operating system refuses it, or the host or the origin of the request is not allowed.',
    nextStep: 'Use another account (`user`) or change the permissions; add the name to `SVC_ALLOWED_HOSTS`.',
    example: {
      method: 'GET',
      url: '/v2/sandbox',
      headers: { host: 'sandbox.example.com' },
      shown: 'Host: sandbox.example.com',
    },
  },
  {
    status: 404,
    meaning: 'The route does not exist.',
    nextStep: 'Take the route that `hint` names.',
    example: { method: 'POST', url: '/v2/command', body: { command: 'ls' } },
  },
  {
    status: 404,
    meaning: 'The object does not exist: a command, a session, a file.',
    nextStep: 'Read the list that `hint` names; check the name.',
    example: { method: 'GET', url: '/v2/commands/unknown' },
  },
  {
    status: 404,
    meaning: 'The file does not exist.',
    nextStep: 'Check the path; list its directory.',
    example: { method: 'GET', url: '/v2/fs/read?path=/no/such/file' },
  },
  {
    status: 405,
    meaning: 'The path exists, and not with this method.',
    nextStep: 'Take a method of the header `Allow`.',
    example: { method: 'PUT', url: '/v2/commands' },
  },
  {
    status: 408,
    meaning: 'The head of the request did not arrive in time.',
    nextStep: 'Repeat the call.',
    example: { method: 'GET', url: '/v2/sandbox', isMade: true, shown: 'its head takes minutes' },
  },
  {
    status: 409,
    meaning: 'The state of the object does not permit it: the destination exists, `if_match` differs, it runs already.',
    nextStep: 'Read the present state and decide again.',
    example: { method: 'POST', url: '/v2/fs/write', body: { path: FILE, content: 'x', if_match: 'old' } },
  },
  {
    status: 412,
    meaning: 'A precondition of the headers does not hold.',
    nextStep: 'Read it again, and repeat the call with its present etag.',
    example: {
      method: 'GET',
      url: `/v2/fs/download?path=${FILE}`,
      headers: { 'if-match': '"old"' },
      shown: 'If-Match: "old"',
    },
  },
  {
    status: 413,
    meaning: 'The body or the file is too large.',
    nextStep: 'Send or ask for less at once; upload bytes with `PUT /v2/fs/upload`.',
    example: {
      method: 'POST',
      url: '/v2/commands',
      headers: { 'content-length': '50000000' },
      body: '',
      shown: 'Content-Length: 50000000',
    },
  },
  {
    status: 416,
    meaning: 'The range lies outside of the file.',
    nextStep: 'Ask for a range below the size in `Content-Range`.',
    example: {
      method: 'GET',
      url: `/v2/fs/download?path=${FILE}`,
      headers: { range: 'bytes=100-' },
      shown: 'Range: bytes=100-',
    },
  },
  {
    status: 422,
    meaning: 'A field of the request is missing, unknown or has a wrong value; `errors[]` has each.',
    nextStep: 'Correct the field; `hint` has a call that is valid.',
    example: { method: 'POST', url: '/v2/commands', body: { cmd: 'ls' } },
  },
  {
    status: 426,
    meaning: 'The route needs a WebSocket handshake.',
    nextStep: 'Connect with a WebSocket client.',
    example: { method: 'GET', url: '/v2/pty/ws' },
  },
  {
    status: 429,
    meaning: 'A ceiling is reached: commands, sessions, watchers.',
    nextStep: 'Repeat after `Retry-After`, or end what is not needed any more; `data` lists the holders.',
    example: { method: 'POST', url: '/v2/commands', body: { command: 'ls' } },
  },
  {
    status: 431,
    meaning: 'The header section is over its limit.',
    nextStep: 'Send less in headers and query.',
    example: { method: 'GET', url: '/v2/sandbox', headers: { 'x-long': LONG }, shown: 'a header of 20,000 characters' },
  },
  {
    status: 500,
    meaning: 'A defect, or a failure of the file system.',
    nextStep: 'Look in the log for the request id of the answer.',
    example: { method: 'GET', url: '/v2/sandbox', isMade: true, shown: 'if the service has a defect' },
  },
  {
    status: 501,
    meaning: 'This machine lacks what the operation needs.',
    nextStep: '`GET /v2/sandbox` lists in `capabilities` what there is.',
    example: { method: 'POST', url: '/v2/pty/sessions', body: {}, service: 'on Windows' },
  },
  {
    status: 503,
    meaning: 'Something that the operation needs does not work now.',
    nextStep: 'Retry shortly; `GET /ready` says what does not work.',
    example: { method: 'GET', url: '/v2/computer/cursor' },
  },
  {
    status: 507,
    meaning: 'The disk is full.',
    nextStep: 'Delete files, then repeat the call.',
    example: {
      method: 'POST',
      url: '/v2/fs/write',
      body: { path: FILE, content: 'x' },
      isMade: true,
      shown: 'on a full disk',
    },
  },
];
