import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { median } from '../harness/statistics.ts';
import { saveBody } from '../testbed/drain.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies } from '../testbed/load.ts';
import { sendFile } from '../testbed/pour.ts';
import { type Service, startDaemon } from '../testbed/services.ts';
import { WRK, wrk } from '../testbed/wrk.ts';

const run = promisify(execFile);
/** Files in memory where possible: a disk would hide the cost of either side. */
const MEMORY = '/dev/shm';
const ENTRIES = 10_000;
const TREE_FILES = 20_000;
const WRITES = 5000;
const KILOBYTE = 'x'.repeat(1024);

export const files: Benchmark = {
  name: 'files',
  about:
    'small files and trees, on a file system in memory. Reads and writes of 1 KB: `wrk -t1 -c16`, against ' +
    '`/v1/ping` of the same daemon, and against `writeFileSync` in a loop. A list of 10,000 entries with sizes, ' +
    'against `readdirSync`, `lstatSync` and `JSON.stringify` in this process; ours includes HTTP. Trees of 20,000 ' +
    'files of 1 KB in 200 directories: `GET /v2/fs/tree` into a file, uncompressed, against `tar -cf`, and `PUT ' +
    '/v2/fs/tree` from a file, against `tar -xf`.',
  reasons: {
    '1 KB read, 16 callers':
      'a read opens, checks, reads and closes the file, checks that it is UTF-8, counts its lines and writes them as ' +
      'JSON; the ping does nothing of that.',
    '1 KB write, 16 callers':
      'no request can reach the goal: `/v1/ping`, which touches no file (the peer of the row above), is far below the ' +
      "loop, which makes a file's system calls and no request.",
    '20,000 files out':
      'the daemon reads each file and writes its header in JavaScript, and the archive crosses a socket to the client, ' +
      'which writes it; tar does all in one process.',
    '20,000 files in':
      'the archive crosses a socket, tar-stream reads each header in JavaScript, and each entry is checked against the ' +
      'ones before it, then written to a private directory, which is moved at the end.',
  },
  needs: [WRK],
  async prepare(stack) {
    const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'bench-files-'));
    stack.defer(() => rmSync(directory, { recursive: true, force: true }));
    const daemon = stack.use(await startDaemon());
    const client = stack.use(new HttpClient(daemon.port));
    mkdirSync(join(directory, 'list'));
    for (let at = 0; at < ENTRIES; at += 1) writeFileSync(join(directory, 'list', `file-${at}.txt`), '');
    makeTree(join(directory, 'tree'));
    writeFileSync(join(directory, 'small'), KILOBYTE);
    return [
      smallReads(daemon, join(directory, 'small')),
      smallWrites(daemon, directory),
      list(client, join(directory, 'list')),
      treeOut(daemon, directory),
      treeIn(daemon, directory),
    ];
  },
};

function smallReads({ port }: Service, path: string): Measurement {
  const goal: Goal = { words: 'at least 0.6× the ping', of: 'ratio', bound: 0.6 };
  const rate = (path: string) => async () => [await wrk(port, path, { connections: 16 })];
  return {
    rows: [{ name: '1 KB read, 16 callers', unit: '/s', better: 'higher', goal }],
    peer: '/v1/ping of the daemon',
    measureOurs: rate(`/v2/fs/read?path=${path}`),
    measurePeer: rate('/v1/ping'),
  };
}

function smallWrites({ port }: Service, directory: string): Measurement {
  const goal: Goal = { words: 'at least 0.6× the loop', of: 'ratio', bound: 0.6 };
  const [ours, peers] = [join(directory, 'ours'), join(directory, 'peers')];
  return {
    rows: [{ name: '1 KB write, 16 callers', unit: '/s', better: 'higher', goal }],
    peer: '`writeFileSync` in a loop',
    measureOurs: async () => [
      await wrk(port, '/v2/fs/write', { connections: 16, body: JSON.stringify({ path: ours, content: KILOBYTE }) }),
    ],
    measurePeer: async () => {
      const begun = performance.now();
      for (let at = 0; at < WRITES; at += 1) writeFileSync(peers, KILOBYTE);
      return [WRITES / ((performance.now() - begun) / 1000)];
    },
  };
}

function list(client: HttpClient, path: string): Measurement {
  const goal: Goal = { words: 'at most 1.3× Node alone', of: 'ratio', bound: 1.3 };
  const alone = async (): Promise<void> => {
    const entries = readdirSync(path).map((name) => {
      const stats = lstatSync(join(path, name));
      return {
        name,
        path: join(path, name),
        is_directory: stats.isDirectory(),
        size: stats.size,
        modified_time: stats.mtime,
      };
    });
    JSON.stringify(entries);
  };
  return {
    rows: [{ name: 'list of 10,000 entries', unit: 'ms', better: 'lower', goal }],
    peer: 'readdir, lstat and JSON in Node',
    measureOurs: async () => [
      median(await latencies(10, async () => requireOk(await client.get(`/v2/fs/list?path=${path}`)))),
    ],
    measurePeer: async () => [median(await latencies(10, alone))],
  };
}

function treeOut({ port }: Service, directory: string): Measurement {
  const goal: Goal = { words: 'at most 1.5× GNU tar', of: 'ratio', bound: 1.5 };
  const [tree, archive] = [join(directory, 'tree'), join(directory, 'out.tar')];
  return {
    rows: [{ name: '20,000 files out', unit: 'ms', better: 'lower', goal }],
    peer: 'GNU tar',
    measureOurs: async () => [await timed(() => saveBody(port, `/v2/fs/tree?path=${tree}`, archive))],
    measurePeer: async () => [await timed(() => run('tar', ['-C', tree, '-cf', archive, '.']))],
  };
}

function treeIn({ port }: Service, directory: string): Measurement {
  const goal: Goal = { words: 'at most 2× GNU tar', of: 'ratio', bound: 2 };
  const [tree, archive, target] = [join(directory, 'tree'), join(directory, 'in.tar'), join(directory, 'extracted')];
  const emptied = async (): Promise<void> => {
    await run('tar', ['-C', tree, '-cf', archive, '.']);
    await rm(target, { recursive: true, force: true });
  };
  return {
    rows: [{ name: '20,000 files in', unit: 'ms', better: 'lower', goal }],
    peer: 'GNU tar',
    rounds: 3,
    measureOurs: async () => {
      await emptied();
      await using file = await open(archive);
      return [await timed(() => sendFile(port, `/v2/fs/tree?path=${target}`, file))];
    },
    measurePeer: async () => {
      await emptied();
      mkdirSync(target);
      return [await timed(() => run('tar', ['-C', target, '-xf', archive]))];
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function makeTree(root: string): void {
  for (let at = 0; at < TREE_FILES; at += 1) {
    const directory = join(root, `directory-${at % 200}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `file-${at}`), KILOBYTE);
  }
}
