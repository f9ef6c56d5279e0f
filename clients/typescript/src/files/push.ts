import { builtin } from '../core/builtin.ts';
import { Pool, type RemoteFiles, Tally, type TreeOptions, type TreeReport } from './tree.ts';

/** Copies a local directory file by file, so that a cut costs no file that was complete. Links are left out. */
export async function push(
  files: RemoteFiles,
  local: string,
  remote: string,
  options: TreeOptions,
): Promise<TreeReport> {
  const tally = new Tally();
  const pool = new Pool(options.concurrency ?? 8);
  await files.makeDirectory(remote, { signal: options.signal });
  await pushInto(files, { local, remote }, { tally, pool, options });
  await pool.end();
  return tally;
}

interface LocalEntry {
  readonly name: string;
  isDirectory(): boolean;
  isFile(): boolean;
}

interface Pair {
  readonly local: string;
  readonly remote: string;
}

interface Run {
  readonly tally: Tally;
  readonly pool: Pool;
  readonly options: TreeOptions;
}

async function pushInto(files: RemoteFiles, { local, remote }: Pair, run: Run): Promise<void> {
  const { readdir } = await builtin('node:fs/promises');
  const { join } = await builtin('node:path');
  for (const entry of await readdir(local, { withFileTypes: true })) {
    await pushEntry(files, entry, { local: join(local, entry.name), remote: `${remote}/${entry.name}` }, run);
  }
}

async function pushEntry(files: RemoteFiles, entry: LocalEntry, pair: Pair, run: Run): Promise<void> {
  const { signal, onFile } = run.options;
  signal?.throwIfAborted();
  if (entry.isDirectory()) {
    await files.makeDirectory(pair.remote, { signal });
    run.tally.directories++;
    await pushInto(files, pair, run);
  } else if (entry.isFile()) {
    await run.pool.add(async () => {
      const { stat } = await builtin('node:fs/promises');
      const { mode, size } = await stat(pair.local);
      await files.upload(pair.local, { to: pair.remote, mode: (mode & 0o777).toString(8).padStart(3, '0'), signal });
      run.tally.files++;
      run.tally.bytes += size;
      onFile?.(pair.local);
    });
  } else {
    run.tally.skipped.push(pair.local);
  }
}
