import type { CallAttack } from './attack.ts';

type Row = readonly [name: string, body: object | string, statuses?: readonly number[], more?: Partial<CallAttack>];

const message = (method: string, params?: object, id: unknown = 1): object => ({ jsonrpc: '2.0', id, method, params });
const call = (name: string, args: object): object => message('tools/call', { name, arguments: args });

/** Messages to the hub. What JSON-RPC can answer is 200. */
const ROWS: readonly Row[] = [
  ['a message of 100,000 brackets', '['.repeat(100_000)],
  ['a message of 8 MiB', `"${'x'.repeat(9 * 1024 ** 2)}"`, [413]],
  ['a message without a method', { jsonrpc: '2.0', id: 1 }, [200, 202, 400]],
  ['a message whose id is an object', message('ping', {}, { a: 1 }), [200, 202, 400]],
  ['a method of 1,000,000 letters', message('a'.repeat(1_000_000)), [200, 400]],
  ['a batch of 1,000 pings', Array.from({ length: 1000 }, (_, id) => message('ping', {}, id))],
  ['a batch of 1,001 pings', Array.from({ length: 1001 }, (_, id) => message('ping', {}, id))],
  ['a batch of batches', [[message('ping')], [[message('ping')]]]],
  ['a hundred commands in a batch', Array.from({ length: 100 }, () => call('sandbox_execute_bash', { cmd: 'true' }))],
  ['a tool with the name of a member', call('__proto__', {})],
  ['arguments with __proto__', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"x"}}}'],
  ['a command of a tool that kills its shell', call('sandbox_execute_bash', { cmd: 'kill -9 $$' })],
  ['a command of a tool that closes every descriptor', call('sandbox_execute_bash', { cmd: 'exec 0<&- 1>&- 2>&-' })],
  [
    'a directory that a command removes under itself',
    call('sandbox_execute_bash', { cmd: 'd=$(mktemp -d); cd $d; rmdir $d' }),
  ],
  ['code of a tool that never returns', call('sandbox_execute_code', { code: 'while (true);', timeout: 1 })],
  [
    'a pattern of a tool with many ways to match',
    call('sandbox_file_operations', { action: 'grep', path: 'DIR', pattern: '(a+)+$' }),
  ],
  ['a file of a tool that is a device', call('sandbox_file_operations', { action: 'read', path: '/dev/zero' })],
  ['a skill with a path for its name', call('sandbox_load_skill', { name: '../../../etc/passwd' })],
  ['twenty lists of tools at once', message('tools/list'), [200], { times: 20 }],
];

export const TOOLS: readonly CallAttack[] = ROWS.map(([name, body, statuses = [200], more]) => ({
  kind: 'call',
  name,
  path: '/mcp',
  body,
  statuses,
  ...more,
}));
