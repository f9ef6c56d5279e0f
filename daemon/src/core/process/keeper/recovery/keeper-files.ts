import { join } from 'node:path';
import { type Ends, OutputLog } from '../../../output/output-log.ts';
import { listOutputFiles } from '../../../output/segment-files.ts';
import type { HostedProcess, Recovered } from '../../process-host.ts';
import { recoverOutput } from '../../recover-output.ts';
import { endedIds, endedProcess } from './ended-files.ts';

type Held = ReadonlyMap<string, HostedProcess>;

/** What a keeper leaves in the runtime directory: the output of its processes, and how they ended. */
export class KeeperFiles {
  readonly #output: string;
  readonly #ended: string;

  constructor(directory: string) {
    this.#output = join(directory, 'output');
    this.#ended = join(directory, 'ended');
  }

  logOf(id: string, onTerminal: boolean): OutputLog {
    return new OutputLog(this.#output, id, onTerminal ? 'terminal' : 'pipes');
  }

  /** Ids of kept output, and of ends that are not acknowledged. */
  ids(): string[] {
    return [...listOutputFiles(this.#output).map(({ id }) => id), ...endedIds(this.#ended)];
  }

  /**
   * As `ProcessHost.recover`. A process that this keeper (`held`) or one of another version (`elsewhere`) holds comes
   * before the file of its end, which a keeper that died has left.
   */
  recover(
    { held, elsewhere }: { readonly held: Held; readonly elsewhere: Held | undefined },
    ends: ReadonlyMap<string, Ends>,
    owns: (id: string) => boolean,
  ): Recovered {
    return recoverOutput(this.#output, ends, owns, (outputs) => {
      const processes = new Map([...held].filter(([id]) => owns(id)));
      const isMissing = (id: string): boolean => owns(id) && !processes.has(id);
      for (const process of this.#endedProcesses(outputs, isMissing)) processes.set(process.id, process);
      for (const [id, process] of elsewhere ?? []) if (isMissing(id)) processes.set(id, process);
      return processes;
    });
  }

  #endedProcesses(outputs: ReadonlyMap<string, OutputLog>, isWanted: (id: string) => boolean): HostedProcess[] {
    const wanted = endedIds(this.#ended).filter(isWanted);
    return wanted.flatMap((id) => endedProcess(this.#ended, outputs.get(id) ?? this.logOf(id, false)) ?? []);
  }
}
