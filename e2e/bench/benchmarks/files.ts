import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Benchmark, Goal, Measurement, Row } from '../harness/benchmark.ts';
import { besideFloor } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { saveBody } from '../testbed/drain.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies } from '../testbed/load.ts';
import { sendFile } from '../testbed/pour.ts';
import { type Service, startDaemon, startPeer } from '../testbed/services.ts';
import { WRK, wrk } from '../testbed/wrk.ts';

const run = promisify(execFile);
/** Files in memory if possible: a disk would hide the cost of either side. */
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
    'against `readdirSync`, `lstatSync` and `JSON.stringify` in this process; ours includes HTTP. On a disk the list has ' +
    'the same fields on both sides. Trees of 20,000 ' +
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
    const floor = stack.use(await startPeer('floor.mjs'));
    const client = stack.use(new HttpClient(daemon.port));
    const onDisk = mkdtempSync(join(tmpdir(), 'bench-list-'));
    stack.defer(() => rmSync(onDisk, { recursive: true, force: true }));
    mkdirSync(join(directory, 'list'));
    for (const list of [join(directory, 'list'), onDisk]) {
      for (let at = 0; at < ENTRIES; at += 1) writeFileSync(join(list, `file-${at}.txt`), '');
    }
    makeTree(join(directory, 'tree'));
    writeFileSync(join(directory, 'small'), KILOBYTE);
    return [
      ...smallReads({ daemon, floor }, join(directory, 'small')),
      ...smallWrites({ daemon, floor }, directory),
      list(client, join(directory, 'list')),
      listOnDisk(client, onDisk),
      ...treeOut({ daemon, floor }, directory),
      ...treeIn({ daemon, floor }, directory),
    ];
  },
};

/** The daemon, and the plainest server that does the same (`e2e/bench/peers/floor.mjs`). */
interface Servers {
  readonly daemon: Service;
  readonly floor: Service;
}

function smallReads({ daemon, floor }: Servers, path: string): Measurement[] {
  const goal: Goal = { words: 'at least 0.6× the ping', of: 'ratio', bound: 0.6 };
  const rate =
    ({ port }: Service, path: string) =>
    async () => [await wrk(port, path, { connections: 16 })];
  const reads: Measurement = {
    rows: [{ name: '1 KB read, 16 callers', unit: '/s', better: 'higher', goal }],
    peer: '/v1/ping of the daemon',
    measureOurs: rate(daemon, `/v2/fs/read?path=${path}`),
    measurePeer: rate(daemon, '/v1/ping'),
  };
  return [reads, besideFloor(reads, 'node:http and `readFileSync`', rate(floor, `/read?path=${path}`))];
}

function smallWrites({ daemon, floor }: Servers, directory: string): Measurement[] {
  const goal: Goal = { words: 'at least 0.6× the loop', of: 'ratio', bound: 0.6 };
  const [ours, peers] = [join(directory, 'ours'), join(directory, 'peers')];
  const rate =
    ({ port }: Service, path: string) =>
    async () => [await wrk(port, path, { connections: 16, body: JSON.stringify({ path: ours, content: KILOBYTE }) })];
  const writes: Measurement = {
    rows: [{ name: '1 KB write, 16 callers', unit: '/s', better: 'higher', goal }],
    peer: '`writeFileSync` in a loop',
    measureOurs: rate(daemon, '/v2/fs/write'),
    measurePeer: async () => {
      const begun = performance.now();
      for (let at = 0; at < WRITES; at += 1) writeFileSync(peers, KILOBYTE);
      return [WRITES / ((performance.now() - begun) / 1000)];
    },
  };
  return [writes, besideFloor(writes, 'node:http and `writeFileSync`', rate(floor, '/write'))];
}

function list(client: HttpClient, path: string): Measurement {
  const goal: Goal = { words: 'at most 1.3× Node alone', of: 'ratio', bound: 1.3 };
  const entryOf = (name: string) => {
    const stats = lstatSync(join(path, name));
    return {
      name,
      path: join(path, name),
      is_directory: stats.isDirectory(),
      size: stats.size,
      modified_time: stats.mtime,
    };
  };
  return listing(client, path, {
    row: { name: 'list of 10,000 entries', unit: 'ms', better: 'lower', goal },
    peer: 'readdir, lstat and JSON in Node',
    entryOf,
  });
}

function listOnDisk(client: HttpClient, path: string): Measurement {
  const goal: Goal = { words: 'at most 1.5× Node alone', of: 'ratio', bound: 1.5 };
  const entryOf = (name: string) => {
    const stats = lstatSync(join(path, name));
    const isDirectory = stats.isDirectory();
    return {
      name,
      path: join(path, name),
      is_directory: isDirectory,
      is_symlink: stats.isSymbolicLink(),
      is_hidden: name.startsWith('.'),
      size: stats.size,
      extension: isDirectory ? null : extname(name),
      modified_time: new Date(stats.mtimeMs).toISOString(),
      permissions: (stats.mode & 0o7777).toString(8),
    };
  };
  return listing(client, path, {
    row: { name: 'list of 10,000 entries on a disk', unit: 'ms', better: 'lower', goal },
    peer: 'the same fields in Node',
    entryOf,
  });
}

interface Listed {
  readonly row: Row;
  readonly peer: string;
  /** An entry of the peer's list. */
  readonly entryOf: (name: string) => object;
}

function listing(client: HttpClient, path: string, { row, peer, entryOf }: Listed): Measurement {
  const alone = async (): Promise<void> => void JSON.stringify(readdirSync(path).map(entryOf));
  return {
    rows: [row],
    peer,
    measureOurs: async () => [
      median(await latencies(10, async () => requireOk(await client.get(`/v2/fs/list?path=${path}`)))),
    ],
    measurePeer: async () => [median(await latencies(10, alone))],
  };
}

function treeOut({ daemon, floor }: Servers, directory: string): Measurement[] {
  const goal: Goal = { words: 'at most 1.3× GNU tar', of: 'ratio', bound: 1.3 };
  const [tree, archive] = [join(directory, 'tree'), join(directory, 'out.tar')];
  const saved =
    ({ port }: Service, path: string) =>
    async () => [await timed(() => saveBody(port, `${path}?path=${tree}`, archive))];
  const out: Measurement = {
    rows: [{ name: '20,000 files out', unit: 'ms', better: 'lower', goal }],
    peer: 'GNU tar',
    measureOurs: saved(daemon, '/v2/fs/tree'),
    measurePeer: async () => [await timed(() => run('tar', ['-C', tree, '-cf', archive, '.']))],
  };
  return [out, besideFloor(out, 'GNU tar behind node:http', saved(floor, '/tree'))];
}

function treeIn({ daemon, floor }: Servers, directory: string): Measurement[] {
  const goal: Goal = { words: 'at most 1.8× GNU tar', of: 'ratio', bound: 1.8 };
  const [tree, archive, target] = [join(directory, 'tree'), join(directory, 'in.tar'), join(directory, 'extracted')];
  const emptied = async (): Promise<void> => {
    await run('tar', ['-C', tree, '-cf', archive, '.']);
    await rm(target, { recursive: true, force: true });
  };
  const sent =
    ({ port }: Service, path: string) =>
    async () => {
      await emptied();
      await using file = await open(archive);
      return [await timed(() => sendFile(port, `${path}?path=${target}`, file))];
    };
  const into: Measurement = {
    rows: [{ name: '20,000 files in', unit: 'ms', better: 'lower', goal }],
    peer: 'GNU tar',
    measureOurs: sent(daemon, '/v2/fs/tree'),
    measurePeer: async () => {
      await emptied();
      mkdirSync(target);
      return [await timed(() => run('tar', ['-C', target, '-xf', archive]))];
    },
  };
  return [into, besideFloor(into, 'GNU tar behind node:http', sent(floor, '/tree'))];
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
