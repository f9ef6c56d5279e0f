import { openAsBlob } from 'node:fs';
import type { CheckpointDiff } from '../../checkpoints/checkpoints.ts';
import { type Context, UsageError } from '../command-spec.ts';
import { oneLine } from '../one-line.ts';
import { written } from '../written.ts';

type Action = (context: Context, args: readonly string[]) => Promise<number | undefined>;

/** By its word: the numbers of arguments, at least and at most, and the action. */
const ACTIONS: Readonly<Record<string, readonly [least: number, most: number, act: Action]>> = {
  create: [0, 1, create],
  list: [0, 1, list],
  diff: [1, 2, diff],
  restore: [1, Number.POSITIVE_INFINITY, restore],
  cat: [2, 2, cat],
  export: [1, 1, exportTar],
  import: [1, 2, importTar],
  delete: [1, 1, remove],
};

export async function checkpoint(context: Context): Promise<number | undefined> {
  const [word = '', ...args] = context.args;
  const found = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  if (!found) throw new UsageError(`not ${Object.keys(ACTIONS).join(', ')}: ${word}`);
  const [least, most, act] = found;
  if (args.length < least) throw new UsageError(`checkpoint ${word}: an argument is missing`);
  if (args.length > most) throw new UsageError(`checkpoint ${word}: too many arguments`);
  return await act(context, args);
}

async function create({ sandbox, options, print }: Context, [path]: readonly string[]): Promise<undefined> {
  const { label, exclude } = options;
  const made = await sandbox.checkpoints.create(path, {
    label: typeof label === 'string' ? label : undefined,
    exclude: typeof exclude === 'string' ? exclude.split(',') : [],
  });
  print(`${oneLine(made.id)}\n`, made);
}

async function list({ sandbox, print }: Context, [path]: readonly string[]): Promise<undefined> {
  const all = await sandbox.checkpoints.list({ limit: 1000, ...(path !== undefined && { path }) });
  const rows = all.map(({ id, createdAt, files, path: directory, label, origin }) =>
    [id, createdAt.slice(0, 19), String(files).padStart(7), directory, label ?? origin].map(oneLine).join('  '),
  );
  print(rows.map((row) => `${row}\n`).join(''), all);
}

async function diff(
  { sandbox, options, print, terminal }: Context,
  [id = '', to]: readonly string[],
): Promise<undefined> {
  const found = await sandbox.checkpoints.diff(id, { to, limit: 10_000, text: options['text'] === true });
  print(linesOf(found.changes), found);
  if (found.truncated) terminal.stderr.write('more changes are left out\n');
}

async function restore(
  { sandbox, options, print, terminal }: Context,
  [id = '', ...paths]: readonly string[],
): Promise<number> {
  const terms = { paths, dryRun: options['dry-run'] === true, deleteNew: options['delete-new'] === true };
  const done = await sandbox.checkpoints.restore(id, terms);
  const { checkpointBefore: before, changeCount, changes, notRestored, notRestoredCount } = done;
  const made = terms.dryRun ? `${changeCount} changes would be made` : `${changeCount} changes`;
  print(`${linesOf(changes)}${made}${before ? `; before: ${oneLine(before.id)}` : ''}\n`, done);
  for (const { path, reason } of notRestored)
    terminal.stderr.write(`not restored: ${oneLine(`${path} (${reason})`)}\n`);
  return notRestoredCount === 0 ? 0 : 1;
}

async function cat({ sandbox, terminal }: Context, [id = '', path = '']: readonly string[]): Promise<undefined> {
  await written(terminal.stdout, await sandbox.checkpoints.read(id, path));
}

async function exportTar({ sandbox, terminal }: Context, [id = '']: readonly string[]): Promise<undefined> {
  for await (const chunk of sandbox.checkpoints.export(id)) await written(terminal.stdout, chunk);
}

async function importTar(
  { sandbox, options, print }: Context,
  [file = '', path]: readonly string[],
): Promise<undefined> {
  const { label } = options;
  const archive = await openAsBlob(file);
  const made = await sandbox.checkpoints.importArchive(archive, {
    path,
    label: typeof label === 'string' ? label : undefined,
  });
  print(`${oneLine(made.id)}\n`, made);
}

async function remove({ sandbox }: Context, [id = '']: readonly string[]): Promise<undefined> {
  await sandbox.checkpoints.remove(id);
}

function linesOf(changes: CheckpointDiff['changes']): string {
  const lines = changes.map(({ type, path, from, text = '', textOmitted }) => {
    const named = from === null ? path || '.' : `${from} -> ${path}`;
    const omitted = textOmitted === undefined ? '' : `  (${oneLine(textOmitted)})`;
    return `${type.padEnd(8)}  ${oneLine(named)}${omitted}\n${text}`;
  });
  return lines.join('');
}
