import type { WorkerAttack } from './attack.ts';

const MIB = 1024 ** 2;
const json = (body: string, head = 'HTTP/1.1 200 OK'): string =>
  `${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

const INFO = { method: 'GET', path: '/v2/computer/info' } as const;
const CLICK = { path: '/v2/computer/actions', body: { action_type: 'CLICK', x: 1, y: 1 } } as const;
/** Nothing was done; the worker counts as absent. */
const ABSENT = [503] as const;

/** A computer-use worker, or what listens at its port, that attacks the daemon. */
const ROWS: readonly Omit<WorkerAttack, 'kind'>[] = [
  { name: 'a worker that closes at once', answer: '', ...INFO, statuses: ABSENT },
  { name: 'a worker that answers garbage', answer: '\0\x01\xff', ...INFO, statuses: ABSENT },
  { name: 'a worker that says half', answer: json('{"a":1}').slice(0, -3), ...INFO, statuses: ABSENT },
  {
    name: 'a worker that announces 1 TB',
    answer: 'HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n{',
    ...INFO,
    statuses: ABSENT,
  },
  {
    name: 'a worker that switches protocols',
    answer: 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    ...INFO,
    statuses: ABSENT,
  },
  { name: 'a worker with status 99', answer: json('{}', 'HTTP/1.1 099 OK'), ...INFO, statuses: ABSENT },
  { name: 'a worker with status 999', answer: json('{}', 'HTTP/1.1 999 OK'), ...INFO, statuses: ABSENT },
  { name: 'a worker that wants a key', answer: json('{}', 'HTTP/1.1 401 Unauthorized'), ...INFO, statuses: ABSENT },
  {
    name: 'a worker that leads elsewhere',
    answer: 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
    ...INFO,
    statuses: ABSENT,
  },
  {
    name: 'a worker with a page of its own',
    answer: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 25\r\n\r\n<script>alert(1)</script>',
    ...INFO,
    statuses: ABSENT,
  },
  {
    name: 'a header of 100,000 characters of a worker',
    answer: `HTTP/1.1 200 OK\r\nETag: ${'x'.repeat(100_000)}\r\n\r\n`,
    ...INFO,
    statuses: ABSENT,
  },
  {
    name: 'a worker with 100,000 interim answers',
    answer: 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100_000),
    ...CLICK,
    statuses: [200, 503],
  },
  { name: 'a screen of 20 MiB of brackets', answer: json('['.repeat(20 * MIB)), ...INFO, statuses: [200, 503] },
  { name: 'a click that ends with garbage', answer: '\0\x01\xff', ...CLICK, statuses: ABSENT },
];

export const WORKERS: readonly WorkerAttack[] = ROWS.map((row) => ({ kind: 'worker', ...row }));
