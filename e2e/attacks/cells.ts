import type { CallAttack } from './attack.ts';

const PATH = '/v2/code/execute';
/** 429 if eight other cells run already. */
const RUN = [200, 429];

type Row = readonly [name: string, language: string, code: string, more?: object];

/** The socket on which the interpreter takes cells, in the interpreter itself. */
const CONTROL = "const [server] = process._getActiveHandles().filter((h) => typeof h.address?.() === 'string');";
const EVERY_SOCKET = "process._getActiveHandles().filter((h) => h.constructor.name === 'Socket')";

/** Code that turns on the interpreter that runs it, and through it on the daemon. */
const ROWS: readonly Row[] = [
  ['a cell that never returns', 'javascript', 'while (true);', { timeout: 0.5 }],
  ['a cell that ignores signals', 'bash', "trap '' INT TERM; while :; do sleep 0.1; done", { timeout: 0.5 }],
  ['a cell that writes 20 MB', 'bash', 'yes | head -c 20000000'],
  ['a cell that writes separators of marks', 'javascript', "process.stdout.write('\\x1e'.repeat(1e6))"],
  ['a cell that closes its output', 'javascript', "const fs = require('fs'); fs.closeSync(1); fs.closeSync(2)"],
  ['a cell that kills itself', 'javascript', "process.kill(process.pid, 'SIGKILL')"],
  ['a cell that kills its shell', 'bash', 'kill -9 $$'],
  ['a cell that leaves programs behind', 'bash', 'sleep 1 & sleep 1 & true'],
  [
    'a cell that replaces JSON',
    'javascript',
    'JSON.stringify = () => "{"; Object.prototype.toJSON = () => { throw 1; }',
    { timeout: 1 },
  ],
  [
    'a value that throws when it is shown',
    'javascript',
    'new Proxy({ get a() { throw 1; } }, { ownKeys() { throw 2; } })',
  ],
  ['a value of 100,000 levels', 'javascript', 'let deep = []; for (let n = 0; n < 1e5; n += 1) deep = [deep]; deep'],
  ['an error of 10 MB', 'javascript', "throw new Error('x'.repeat(1e7))"],
  ['an error that is none', 'javascript', 'throw { get message() { throw 1; }, get stack() { throw 2; } }'],
  ['a cell that closes its control socket', 'javascript', `for (const h of ${EVERY_SOCKET}) h.destroy()`],
  [
    'a cell that writes garbage to its control socket',
    'javascript',
    `for (const h of ${EVERY_SOCKET}) h.write('x'.repeat(2e7))`,
    { timeout: 2 },
  ],
  [
    'a cell that writes 100,000 messages to its control socket',
    'javascript',
    `for (const h of ${EVERY_SOCKET}) h.write('{"done":5}\\n'.repeat(1e5))`,
    { timeout: 2 },
  ],
  [
    'a cell that fills the directory of its sockets',
    'javascript',
    `${CONTROL} const { dirname, join } = require('path'); const { closeSync, openSync } = require('fs');
     const directory = dirname(server.address());
     for (let n = 0; n < 5000; n += 1) closeSync(openSync(join(directory, 'f' + n), 'w'))`,
  ],
  [
    'a cell that puts directories into the directory of its sockets',
    'javascript',
    `${CONTROL} const path = require('path'); const directory = path.dirname(server.address());
     require('fs').mkdirSync(path.join(directory, 'a/b/c'), { recursive: true });
     require('fs').symlinkSync('/etc', path.join(directory, 'a/etc'))`,
  ],
];

export const CELLS: readonly CallAttack[] = [
  ...ROWS.map(
    ([name, language, code, more]): CallAttack => ({
      kind: 'call',
      name,
      path: PATH,
      body: { language, code, timeout: 20, ...more },
      statuses: RUN,
    }),
  ),
  {
    kind: 'call',
    name: 'a language of 100,000 letters',
    path: PATH,
    body: { language: 'a'.repeat(100_000), code: '1' },
    statuses: [400, 422],
  },
  {
    kind: 'call',
    name: 'a session with a path for its id',
    path: PATH,
    body: { language: 'bash', code: 'true', session_id: '../../x' },
    statuses: [...RUN, 400, 422],
  },
  {
    kind: 'call',
    name: 'twenty cells at once',
    path: PATH,
    body: { language: 'bash', code: 'true' },
    times: 20,
    statuses: RUN,
  },
];
