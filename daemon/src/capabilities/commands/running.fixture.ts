import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { DaemonProcess } from '../../daemon-process.fixture.ts';

/** Past every offset: a reader there waits for the end. */
const FAR = 2 ** 40;

/** Makes a directory that commands of every account may work in, beside a private runtime directory. */
export function workplaceIn(parent: string): { runtimeDir: string; workplace: string } {
  const [runtimeDir, workplace] = [join(parent, 'run'), join(parent, 'work')];
  mkdirSync(runtimeDir, { mode: 0o700 });
  mkdirSync(workplace);
  chmodSync(parent, 0o755);
  chmodSync(workplace, 0o777);
  return { runtimeDir, workplace };
}

/** Waits for the end of a command; answers its fields and the ends of its streams. */
export async function endOf(daemon: DaemonProcess, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { command, offset, stderr_offset } = await daemon.data(
      `/v2/commands/${id}?limit=0&wait=true&wait_timeout=20&offset=${FAR}&stderr_offset=${FAR}`,
    );
    if (command.status !== 'running') return { ...command, offset, stderr_offset };
  }
}

/** Starts a command in mode async. */
export async function begin(
  daemon: DaemonProcess,
  command: string,
  more: object = {},
): Promise<{ readonly command_id: string; readonly pid: number }> {
  return daemon.data('/v2/commands', { command, mode: 'async', ...more });
}

/** The kept bytes of a stream. */
export async function streamOf(daemon: DaemonProcess, id: string, channel: 'stdout' | 'stderr'): Promise<string> {
  const headers = { accept: 'application/octet-stream' };
  return (await fetch(`${daemon.base}/v2/commands/${id}?channel=${channel}`, { headers })).text();
}

/** Waits until the directory has so many entries with that prefix. */
export async function entriesIn(directory: string, prefix: string, count = 1): Promise<void> {
  const watcher = watch(directory);
  try {
    for (;;) {
      const changed = once(watcher, 'change');
      if (readdirSync(directory).filter((name) => name.startsWith(prefix)).length >= count) return;
      await changed;
    }
  } finally {
    watcher.close();
  }
}

/** The pid of the parent. */
export function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
}
