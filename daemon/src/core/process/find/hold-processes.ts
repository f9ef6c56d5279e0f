import type { ProcessTarget } from '../process-host.ts';

/** Processes that are stopped until disposal; they continue with the signals that they got meanwhile. */
export interface HeldProcesses extends Disposable {
  readonly count: number;
}

/** Stops the processes of the targets themselves, without their children, as far as permissions go. */
export function holdProcesses(targets: readonly ProcessTarget[]): HeldProcesses {
  const held = targets.filter(({ pid, running }) => running && pid > 1 && send(pid, 'SIGSTOP'));
  return {
    count: held.length,
    [Symbol.dispose]: () => {
      for (const { pid } of held) send(pid, 'SIGCONT');
    },
  };
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
