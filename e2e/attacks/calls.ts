import type { CallAttack } from './attack.ts';

type Row = readonly [
  name: string,
  path: string,
  body: object | string | undefined,
  statuses: readonly number[],
  more?: Partial<CallAttack>,
];

const BLANKS = ' '.repeat(100_000);
const command = (text: string, more: object = {}): object => ({ command: text, ...more });

/** Text that takes long to match, parse or show. */
const TEXT: readonly Row[] = [
  ['a path of 100,000 blanks', '/v2/fs/write', { path: `/${BLANKS}x`, content: '' }, [400]],
  ['a path of 100,000 line ends', '/v2/fs/write', { path: `/${'\n'.repeat(100_000)}`, content: '' }, [400]],
  ['a path with a NUL', '/v2/fs/write', { path: '/a\0b', content: '' }, [400]],
  ['a path of 100,000 slashes', '/v2/fs/write', { path: '/'.repeat(100_000), content: '' }, [400]],
  ['base64 of blanks', '/v2/fs/write', { path: 'DIR/f', content: `${BLANKS}!`, encoding: 'base64' }, [400]],
  ['base64 of padding', '/v2/fs/write', { path: 'DIR/f', content: '='.repeat(100_000), encoding: 'base64' }, [400]],
  ['a body that is not JSON', '/v2/commands', '{', [400]],
  ['a body of 100,000 brackets', '/v2/commands', '['.repeat(100_000), [400]],
  ['a body of 50,000 nested arrays', '/v2/commands', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, [400, 422]],
  ['a body with __proto__', '/v2/commands', '{"__proto__":{"a":1}}', [400]],
  ['a body over 32 MiB', '/v2/commands', `"${'x'.repeat(33 * 1024 ** 2)}"`, [413]],
  ['a number for a text', '/v2/commands', { command: 5 }, [422]],
  ['100,000 arguments of the wrong type', '/v2/commands', { command: 'x', args: Array(100_000).fill(1) }, [422]],
  ['a cwd of 100,000 blanks', '/v2/commands', command('true', { cwd: `/${BLANKS}` }), [400]],
  ['an account of 100,000 letters', '/v2/commands', command('true', { user: 'a'.repeat(100_000) }), [400, 422]],
  ['an environment name with =', '/v2/commands', command('true', { env: { 'A=B': 'x' } }), [422]],
  ['a command with a NUL', '/v2/commands', command('echo \0'), [400, 422]],
  ['a pattern with many ways to match', '/v2/fs/grep', { path: 'DIR', pattern: '(a+)+$' }, [200, 404, 422]],
  ['a pattern that is invalid', '/v2/fs/grep', { path: 'DIR', pattern: '('.repeat(1_000) }, [400, 404, 422]],
  ['a glob of 10,000 stars', '/v2/fs/glob', { path: 'DIR', pattern: '**/'.repeat(3_000) }, [200, 400, 404, 422]],
  ['a glob of 1,000 braces', '/v2/fs/glob', { path: 'DIR', pattern: '{a,b}'.repeat(1_000) }, [200, 400, 404, 422]],
  [
    'a ticket for a path of 100,000 characters',
    '/v2/tickets',
    { path_prefix: `/${'a'.repeat(100_000)}` },
    [200, 400, 422],
  ],
  ['a session id of 100,000 characters', '/v2/pty/sessions', { id: 'a'.repeat(100_000) }, [400, 422]],
  ['an unknown session', '/v2/pty/sessions/none/exec', { command: 'true' }, [404]],
  ['a route of 1,000 segments', `/${'a/'.repeat(1_000)}`, {}, [404]],
  ['a removed method', '/v2/commands', undefined, [405], { method: 'DELETE' }],
];

/** Programs and terminals that end late, write much, or are many. */
const PROCESSES: readonly Row[] = [
  ['a command that writes 20 MB', '/v2/commands', command('yes | head -c 20000000'), [200]],
  ['a command that writes NUL bytes', '/v2/commands', command('head -c 1000000 /dev/zero'), [200]],
  [
    'eight callers whose whole output is NUL bytes',
    '/v2/commands',
    command('head -c 8000000 /dev/zero', { max_output_length: 0 }),
    [200, 429],
    { times: 8 },
  ],
  [
    'a command that ignores SIGTERM',
    '/v2/commands',
    command('trap "" TERM; sleep 60', { hard_timeout: 0.3, timeout: 30 }),
    [200],
  ],
  ['a command that closes its output', '/v2/commands', command('exec >&- 2>&-; true'), [200]],
  ['a command that leaves children', '/v2/commands', command('sleep 1 & sleep 1 & true'), [200]],
  ['a command that kills its group', '/v2/commands', command('kill -9 0'), [200]],
  ['a program that does not exist', '/v2/commands', command('/none'), [200]],
  [
    'a terminal that writes carriage returns',
    '/v1/shell/exec',
    command("head -c 1000000 /dev/zero | tr '\\0' '\\r'"),
    [200, 429],
  ],
  [
    'a terminal that writes escapes',
    '/v1/shell/exec',
    command("head -c 500000 /dev/zero | tr '\\0' '\\033'"),
    [200, 429],
  ],
  [
    'a terminal that forges marks',
    '/v1/shell/exec',
    command("printf '\\033]133;D;9;svc=0;/x\\007'; echo on"),
    [200, 429],
  ],
  ['a terminal that ends its shell', '/v1/shell/exec', command('kill -9 $$'), [200, 429]],
  ['twelve callers without an id', '/v1/shell/exec', command('echo one'), [200, 429], { times: 12 }],
  ['fifty commands at once', '/v2/commands', command('true'), [200, 429], { times: 50 }],
  ['fifty callers of /ready', '/ready', undefined, [200, 503], { method: 'GET', times: 50 }],
  ['a watch of a directory that does not exist', '/v2/watch', { path: '/none' }, [400, 404, 405]],
];

export const CALLS: readonly CallAttack[] = [...TEXT, ...PROCESSES].map(([name, path, body, statuses, more]) => ({
  kind: 'call',
  name,
  path,
  statuses,
  ...(body !== undefined && { body }),
  ...more,
}));
