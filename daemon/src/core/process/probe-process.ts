import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { HostedProcess, ProcessHost, StartSpec } from './process-host.ts';

/** Milliseconds that a probe may take, on a busy machine too. */
const PROBE_MS = 10_000;

/**
 * Runs a program for a probe and answers its exit code; nothing of it is kept, also if it starts late.
 * @throws Error if the process host does not answer in time; StartFailure
 */
export async function probeProcess(host: Pick<ProcessHost, 'start'>, spec: StartSpec): Promise<number | null> {
  const ended = host.start(spec).then(finish);
  ended.catch(ignore);
  if ((await waitFor(ended, { ms: PROBE_MS })) === 'timeout') throw new Error('the process host does not answer');
  return ended;
}

async function finish(process: HostedProcess): Promise<number | null> {
  const { exitCode } = await process.ended;
  process.acknowledgeExit();
  await process.output.remove();
  return exitCode;
}
