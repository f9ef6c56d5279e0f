import type { ProcessUsage } from './process-host.ts';

/** What to say of a program that the memory limit killed, in one line. @param program null: its name is not known */
export function memoryKillNote(program: string | null): string {
  return `a process was killed by the memory limit${program === null ? '' : ` (${program})`}`;
}

/** Undefined where nothing that is known was killed. */
export function noteOfUsage(usage: Partial<ProcessUsage> | null): string | undefined {
  return usage?.oomKilled ? memoryKillNote(usage.oomProcess ?? null) : undefined;
}
