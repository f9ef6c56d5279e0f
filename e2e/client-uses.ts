import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../clients/typescript/src/index.ts';
import { seededBytes } from '../scripts/testing/seeded-random.ts';

/** One use of a sandbox, which is on the same machine. @returns what is wrong; undefined: nothing */
export type Use = (sandbox: Sandbox, directory: string) => Promise<string | undefined>;

const numbers = (count: number, end: string): string =>
  Array.from({ length: count }, (_, number) => `${number + 1}${end}`).join('');

const LINES = 4000;
/** Lines for about two seconds. */
const SLOW_LINES = `for i in $(seq ${LINES}); do echo $i; [ $((i % 100)) = 0 ] && sleep 0.05; done`;
const BIG = seededBytes(12 * 1024 * 1024);
const SMALL = seededBytes(30_000);

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function compare(what: string, actual: string, wanted: string): string | undefined {
  if (actual === wanted) return undefined;
  const at = [...wanted].findIndex((letter, index) => letter !== actual[index]);
  return `${what}: ${actual.length} characters, not ${wanted.length}; at ${at}: ${actual.slice(Math.max(0, at - 20), at + 20)}`;
}

/** A command that leaves a mark each time it runs. */
async function marked(directory: string): Promise<{ readonly script: string; count(): Promise<number> }> {
  const file = join(directory, randomUUID());
  return {
    script: `echo x >> ${file}`,
    count: async () => (await readFile(file, 'utf8')).length / 2,
  };
}

const runs: Use = async (sandbox, directory) => {
  const mark = await marked(directory);
  let text = '';
  await sandbox.run(`${mark.script}; ${SLOW_LINES}`, {
    onOutput: (piece) => {
      text += piece;
    },
  });
  return compare('run', text, numbers(LINES, '\n')) ?? once('run', await mark.count());
};

function once(what: string, count: number): string | undefined {
  return count === 1 ? undefined : `${what}: ran ${count} times`;
}

const shortRuns: Use = async (sandbox, directory) => {
  const mark = await marked(directory);
  const { exitCode } = await sandbox.run(`${mark.script}; exit 3`, { check: false });
  return exitCode === 3 ? once('short run', await mark.count()) : `exit code ${exitCode}`;
};

const bothStreams: Use = async (sandbox) => {
  const texts = { stdout: '', stderr: '' };
  await sandbox.run(`for i in $(seq 500); do echo $i; echo $i >&2; sleep 0.002; done`, {
    onOutput: (piece, stream) => {
      texts[stream] += piece;
    },
  });
  const wanted = numbers(500, '\n');
  return compare('stdout', texts.stdout, wanted) ?? compare('stderr', texts.stderr, wanted);
};

const lines: Use = async (sandbox) => {
  await using command = await sandbox.spawn(SLOW_LINES);
  let text = '';
  for await (const line of sandbox.command(command.id).lines({ offset: 0 })) text += `${line}\n`;
  return compare('lines', text, numbers(LINES, '\n'));
};

const stdin: Use = async (sandbox) => {
  await using command = await sandbox.spawn('sha256sum');
  for (let at = 0; at < SMALL.length; at += 1000) await command.write(SMALL.subarray(at, at + 1000));
  await command.closeInput();
  let text = '';
  for await (const line of command.lines()) text += line;
  return compare('stdin', text, `${sha256(SMALL)}  -`);
};

const upload: Use = async (sandbox, directory) => {
  const path = join(directory, randomUUID());
  await sandbox.files.upload(BIG, { to: path });
  return (await readFile(path)).equals(BIG) ? undefined : 'upload: other bytes';
};

const download: Use = async (sandbox, directory) => {
  const [path, local] = [join(directory, randomUUID()), join(directory, randomUUID())];
  await writeFile(path, BIG);
  await sandbox.files.download(path, local);
  return (await readFile(local)).equals(BIG) ? undefined : 'download: other bytes';
};

const writeAndRead: Use = async (sandbox, directory) => {
  const path = join(directory, randomUUID(), 'a/b');
  const text = randomUUID();
  await sandbox.files.write(path, text);
  return compare('read', await sandbox.files.read(path), text);
};

const trees: Use = async (sandbox, directory) => {
  const root = join(directory, randomUUID());
  const [from, there, back] = ['from', 'there', 'back'].map((name) => join(root, name)) as [string, string, string];
  await mkdir(join(from, 'sub'), { recursive: true });
  for (let number = 0; number < 20; number++) await writeFile(join(from, 'sub', `${number}`), SMALL);
  await sandbox.files.push(from, there);
  await sandbox.files.pull(there, back);
  const names = await readdir(join(back, 'sub'));
  const isSame = await Promise.all(names.map(async (name) => (await readFile(join(back, 'sub', name))).equals(SMALL)));
  return names.length === 20 && isSame.every(Boolean) ? undefined : `trees: ${names.length} files`;
};

const walk: Use = async (sandbox) => {
  const seen = new Set<string>();
  for await (const { path } of sandbox.files.walk('/usr/include', { maxDepth: 2 })) {
    if (seen.has(path)) return `walk: ${path} twice`;
    seen.add(path);
  }
  return undefined;
};

/** A restart of the daemon is an overflow, after which nothing is expected. */
const watch: Use = async (sandbox, directory) => {
  const root = join(directory, randomUUID());
  await mkdir(root);
  const created: string[] = [];
  let isLost = false;
  await using watching = await sandbox.files.watch(root, undefined, { debounce: 50 });
  const names = Array.from({ length: 10 }, (_, number) => `${number}`);
  const writing = (async () => {
    for (const name of names) await writeFile(join(root, name), name);
  })();
  for await (const event of watching) {
    if (event.type === 'overflow') isLost = true;
    else if (event.type === 'create') created.push(event.relativePath);
    if (isLost || created.length >= names.length) break;
  }
  await writing;
  return isLost ? undefined : compare('watch', created.sort().join(' '), names.join(' '));
};

const cells: Use = async (sandbox, directory) => {
  const mark = await marked(directory);
  await using notebook = sandbox.notebook('bash');
  await notebook.run('a=7');
  let text = '';
  await notebook.run(`${mark.script}; for i in $(seq 200); do echo $((i * a)); sleep 0.005; done`, {
    onOutput: (output) => {
      if (output.type === 'stream') text += output.text;
    },
  });
  const wanted = Array.from({ length: 200 }, (_, number) => `${(number + 1) * 7}\n`).join('');
  return compare('cell', text, wanted) ?? once('cell', await mark.count());
};

const terminal: Use = async (sandbox) => {
  const script = `for i in $(seq ${LINES}); do echo $i; [ $((i % 100)) = 0 ] && sleep 0.05; done`;
  await using shell = await sandbox.terminal({ command: 'bash', args: ['-c', script] });
  let text = '';
  for await (const event of shell.output({ since: 0 })) {
    if (event.type === 'output') text += Buffer.from(event.bytes).toString('latin1');
  }
  return compare('terminal', text, numbers(LINES, '\r\n'));
};

const screens: Use = async (sandbox) => {
  await using shell = await sandbox.terminal({ command: 'bash', args: ['-c', 'printf shown; exec sleep 1000'] });
  for (;;) {
    const { output } = await shell.screen({ wait: 1 });
    if (output.includes('shown')) return compare('screen', output.trim(), 'shown');
  }
};

const grep: Use = async (sandbox, directory) => {
  const path = join(directory, randomUUID());
  await mkdir(path);
  await writeFile(join(path, 'f'), numbers(100, '\n'));
  const matches = await sandbox.files.grep(path, '7$');
  return matches.length === 10 ? undefined : `grep: ${matches.length} matches`;
};

const sandboxInfo: Use = async (sandbox) => {
  const { version } = await sandbox.info();
  return /^\d/.test(version) ? undefined : `info: ${version}`;
};

/** Sixteen uses of different kinds. */
export const USES: Readonly<Record<string, Use>> = {
  runs,
  shortRuns,
  bothStreams,
  lines,
  stdin,
  upload,
  download,
  writeAndRead,
  trees,
  walk,
  watch,
  cells,
  terminal,
  screens,
  grep,
  sandboxInfo,
};
