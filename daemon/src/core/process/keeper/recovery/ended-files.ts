import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { errnoName } from '../../../errno-name.ts';
import { discard } from '../../../files/discard.ts';
import type { OutputLog } from '../../../output/output-log.ts';
import type { HostedProcess, ProcessEnd } from '../../process-host.ts';
import { signalName } from '../../signals.ts';

/** `DIR/ended/<id>.json` of `docs/keeper.md`. */
const EndedFile = z.object({
  pid: z.int(),
  by_signal: z.boolean(),
  value: z.int(),
  user_us: z.int(),
  system_us: z.int(),
  max_rss_bytes: z.int(),
  oom_killed: z.boolean().nullable(),
  /** Empty: unknown; a keeper of version 3 writes none. */
  oom_process: z.string().default(''),
  background: z.boolean(),
  ended_ms: z.int(),
  ends: z.tuple([z.int(), z.int()]),
  /** Taken, and dropped; a keeper of version 2 writes none. */
  stdin: z.tuple([z.int(), z.int()]).default([0, 0]),
  /** Base64; a keeper of version 1 writes none. */
  record: z.string().default(''),
});

/** Ids of the processes with an end that a keeper has written and no daemon has acknowledged. */
export function endedIds(directory: string): string[] {
  try {
    return readdirSync(directory).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return [];
    throw error;
  }
}

/** A process of which only the file of its end is left; undefined if the file cannot be read. */
export function endedProcess(directory: string, output: OutputLog): HostedProcess | undefined {
  const path = join(directory, `${output.id}.json`);
  const file = parse(path);
  if (file === undefined) return undefined;
  output.seal({ stdout: file.ends[0], stderr: file.ends[1] });
  const refuse = async (): Promise<never> => {
    throw new SandboxError('conflict', 'the process has ended');
  };
  return {
    id: output.id,
    pid: file.pid,
    record: file.record === '' ? undefined : Buffer.from(file.record, 'base64').toString(),
    output,
    ended: Promise.resolve(endOf(file)),
    writeStdin: refuse,
    typeStdin: refuse,
    offerStdin: refuse,
    stdinCount: { taken: file.stdin[0], dropped: file.stdin[1] },
    endStdin: refuse,
    acknowledgeExit: () => discard(path),
  };
}

function parse(path: string): z.infer<typeof EndedFile> | undefined {
  try {
    return EndedFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

function endOf(file: z.infer<typeof EndedFile>): ProcessEnd {
  return {
    exitCode: file.by_signal ? null : file.value,
    signal: file.by_signal ? signalName(file.value) : null,
    background: file.background,
    usage: {
      cpuUserMs: file.user_us / 1000,
      cpuSystemMs: file.system_us / 1000,
      maxRssBytes: file.max_rss_bytes,
      oomKilled: file.oom_killed,
      oomProcess: file.oom_process || null,
    },
    endedAt: new Date(file.ended_ms),
  };
}
