import { type Ends, findOutputLogs, type OutputLog } from '../output/output-log.ts';
import type { HostedProcess, Recovered } from './process-host.ts';

/**
 * The part of `ProcessHost.recover` that every host has: finds the logs in the directory, and discards those that
 * neither `ends` nor a process names. `find` answers the processes of an earlier daemon, given their logs.
 */
export function recoverOutput(
  directory: string,
  ends: ReadonlyMap<string, Ends>,
  owns: ((id: string) => boolean) | undefined,
  find: (logs: ReadonlyMap<string, OutputLog>) => ReadonlyMap<string, HostedProcess> = () => new Map(),
): Recovered {
  const outputs = findOutputLogs(directory, ends, owns);
  const processes = find(outputs);
  for (const [id, { output }] of processes) outputs.set(id, output);
  for (const [id, log] of outputs) {
    if (ends.has(id) || processes.has(id)) continue;
    void log.remove();
    outputs.delete(id);
  }
  return { outputs, processes };
}
