import type { BrowserAttack, DevToolsMessage } from './attack.ts';

const MIB = 1024 ** 2;
/** 500: the browser has answered nothing that makes sense. */
const FAILED = [404, 500, 503] as const;
/**
 * A navigation that has begun is 200 without success. That can happen to each, because the tab of the attack before is
 * there until the daemon has noticed the end of its connection.
 */
const NAVIGATE = {
  path: '/v2/browser/navigate',
  body: { url: 'http://a/', timeout: 1 },
  statuses: [...FAILED, 200],
  mustFail: true,
} as const;

const answered = (body: string, head = 'HTTP/1.1 200 OK\r\n'): string =>
  `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
const event = (method: string, params: object, sessionId?: string): string =>
  JSON.stringify({ method, params, sessionId });
const result = ({ id }: DevToolsMessage, value: object): string => JSON.stringify({ id, result: value });

const attached = (sessionId: string, targetId: string): string =>
  event('Target.attachedToTarget', { sessionId, targetInfo: { targetId, type: 'page' }, waitingForDebugger: false });

/** Answers like a browser with one tab, but for one method. */
function withTab(
  method: string,
  reply: (message: DevToolsMessage) => readonly string[],
): NonNullable<BrowserAttack['reply']> {
  return (message) => {
    if (message.method === method) return reply(message);
    const first = message.method === 'Target.setAutoAttach' && message.sessionId === undefined;
    return [...(first ? [attached('s', 't')] : []), result(message, {})];
  };
}

const request = (more: object): object => ({
  requestId: 'r',
  request: { url: 'http://a/', method: 'GET', ...more },
  timestamp: 1,
  wallTime: 1,
});

/** A browser, or what listens at its port, that attacks the daemon. */
const ROWS: readonly Omit<BrowserAttack, 'kind'>[] = [
  { name: 'a browser that closes at once', discovery: '', ...NAVIGATE },
  { name: 'a browser that answers garbage', discovery: '\0\x01\xff', ...NAVIGATE },
  { name: 'a discovery that is null', discovery: answered('null'), ...NAVIGATE },
  { name: 'a discovery of 1,000,000 brackets', discovery: answered('['.repeat(1e6)), ...NAVIGATE },
  { name: 'a discovery of 33 MiB', discovery: answered(' '.repeat(33 * MIB)), ...NAVIGATE },
  {
    name: 'a discovery that leads elsewhere',
    discovery: 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
    ...NAVIGATE,
  },
  { name: 'a browser whose answers are no JSON', reply: () => ['{', '\0'], ...NAVIGATE },
  {
    name: 'a browser whose answers have the wrong types',
    reply: ({ id }) => [`{"id":"${id}","result":1}`, `{"id":${id},"result":null,"error":null}`],
    ...NAVIGATE,
  },
  {
    name: 'a browser with an answer of 3,000,000 values',
    reply: withTab('Page.navigate', ({ id }) => [`{"id":${id},"result":{"a":[${'[],'.repeat(3e6)}1]}}`]),
    ...NAVIGATE,
    mustFail: false,
  },
  {
    name: 'a browser with an answer of 10,000 levels',
    reply: withTab('Page.navigate', ({ id }) => [`{"id":${id},"result":${'{"a":'.repeat(1e4)}1${'}'.repeat(1e4)}}`]),
    ...NAVIGATE,
    mustFail: false,
  },
  {
    name: 'a browser with 500 tabs at once',
    reply: (message) => [
      ...(message.method === 'Target.setAutoAttach' && message.sessionId === undefined
        ? Array.from({ length: 500 }, (_, n) => attached(`s${n}`, `t${n}`))
        : []),
      result(message, {}),
    ],
    ...NAVIGATE,
  },
  {
    name: 'a browser with 20,000 events of sessions that are not there',
    reply: (message) => [
      event('Page.x', {}, 'none').repeat(1),
      ...Array(2e4).fill('{"method":"a"}'),
      result(message, {}),
    ],
    ...NAVIGATE,
  },
  {
    name: 'a page with requests of methods and types of 1 MB',
    reply: withTab('Network.enable', (message) => [
      ...Array.from({ length: 20 }, () =>
        event('Network.requestWillBeSent', request({ method: 'X'.repeat(1e6) }), 's'),
      ),
      result(message, {}),
    ]),
    path: '/v2/browser/network/requests',
    method: 'GET',
    statuses: [200, ...FAILED],
  },
  {
    name: 'a page with requests of the wrong types',
    reply: withTab('Network.enable', (message) => [
      event('Network.requestWillBeSent', { ...request({ url: 5 }), wallTime: 'x' }, 's'),
      event('Network.responseReceived', { requestId: 'r', response: null }, 's'),
      result(message, {}),
    ]),
    path: '/v2/browser/network/requests',
    method: 'GET',
    statuses: [200, ...FAILED],
  },
];

export const BROWSERS: readonly BrowserAttack[] = ROWS.map((row) => ({ kind: 'browser', ...row }));
