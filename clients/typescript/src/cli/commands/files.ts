import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RequestFailed } from '../../core/errors.ts';
import type { Progress } from '../../files/upload.ts';
import { type Context, UsageError } from '../command-spec.ts';
import { oneLine } from '../one-line.ts';
import { written } from '../written.ts';

const REMOTE = 'sandbox:';

export async function list({ sandbox, args: [path = '~'], print }: Context): Promise<undefined> {
  const entries = await sandbox.files.list(path);
  const rows = entries.map(({ permissions, size, modifiedTime, name }) =>
    [permissions, String(size).padStart(12), modifiedTime.slice(0, 16), oneLine(name)].join('  '),
  );
  print(rows.map((row) => `${row}\n`).join(''), entries);
}

export async function cat({ sandbox, args, terminal: { stdout } }: Context): Promise<undefined> {
  for (const path of args) for await (const chunk of sandbox.files.stream(path)) await written(stdout, chunk);
}

export async function copy(context: Context): Promise<undefined> {
  const [source = '', target = ''] = context.args;
  const [from, to] = [remoteOf(source), remoteOf(target)];
  if ((from === undefined) === (to === undefined)) {
    throw new UsageError(`one of both paths has to begin with ${REMOTE}`);
  }
  const stop = new AbortController();
  const { signal } = stop;
  const copying = from === undefined ? send(context, source, to ?? '', signal) : receive(context, from, target, signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await copying.catch(() => undefined);
  };
  await context.held.during({ end }, () => copying);
}

async function receive(
  { sandbox, options, print, terminal: { stderr } }: Context,
  from: string,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  if (options['recursive'] && (await sandbox.files.stat(from)).isDirectory) {
    const report = await sandbox.files.pull(from, target, { signal });
    print('', report);
    if (report.skipped.length > 0) stderr.write(`left out: ${report.skipped.map(oneLine).join(', ')}\n`);
    return;
  }
  const isDirectory = (await stat(target).catch(() => undefined))?.isDirectory() ?? false;
  const name = basename(from);
  if (isDirectory && (name === '' || name === '..')) throw new UsageError(`name the target: ${from}`);
  const to = isDirectory ? join(target, name) : target;
  await sandbox.files.download(from, to, { onProgress: bar(stderr), signal }).catch(async (error: unknown) => {
    if (error instanceof RequestFailed && (await sandbox.files.stat(from)).isDirectory) throw needsRecursive(from);
    throw error;
  });
}

async function send(
  { sandbox, options, print, terminal: { stderr } }: Context,
  source: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await stat(source)).isDirectory()) {
    if (!options['recursive']) throw needsRecursive(source);
    print('', await sandbox.files.push(source, to, { signal }));
    return;
  }
  const isDirectory = to === '' || to.endsWith('/') || to === '~';
  await sandbox.files.upload(source, {
    to: isDirectory ? `${to === '' ? '~' : to.replace(/\/$/, '')}/${basename(source)}` : to,
    onProgress: bar(stderr),
    signal,
  });
}

function needsRecursive(path: string): UsageError {
  return new UsageError(`it is a directory, which -r copies: ${path}`);
}

export async function watch({ sandbox, args: [path = '~'], print, held }: Context): Promise<undefined> {
  const watching = sandbox.files.watch(path);
  await held.during({ end: async () => (await watching).close() }, async () => {
    for await (const event of await watching) {
      const what = event.type === 'overflow' ? 'changes are missing' : oneLine(event.path);
      print(`${event.type.padEnd(8)}  ${what}\n`, event);
    }
  });
}

function remoteOf(path: string): string | undefined {
  return path.startsWith(REMOTE) ? path.slice(REMOTE.length) : undefined;
}

/** A line that is overwritten, on a terminal and for more than one piece. */
function bar(stderr: NodeJS.WriteStream): ((progress: Progress) => void) | undefined {
  if (!stderr.isTTY) return undefined;
  let shown = -1;
  return ({ bytes, total }) => {
    const percent = total === 0 ? 100 : Math.floor((100 * bytes) / total);
    if (percent === shown || (shown === -1 && percent === 100)) return;
    shown = percent;
    stderr.write(`\r${'#'.repeat(percent >> 2).padEnd(25)} ${percent} %${percent === 100 ? '\n' : ''}`);
  };
}
