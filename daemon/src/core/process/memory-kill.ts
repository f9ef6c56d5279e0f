import type { HostedProcess } from './process-host.ts';

/** The name of a program that the memory limit killed; empty if its name is not known. */
export type KilledProgram = string;

/** How a process or a cell ended, as far as it concerns memory. */
interface End {
  readonly oomKilled?: boolean | null;
  readonly oomProcess?: string | null;
}

/** Undefined if nothing that is known was killed. */
export function killedOf(end: End | null | undefined): KilledProgram | undefined {
  return end?.oomKilled ? (end.oomProcess ?? '') : undefined;
}

/**
 * What the memory limit has killed of a living process and its descendants since a moment of `performance.now()`;
 * undefined: nothing that is known, or the host does not answer in 250 ms.
 */
export async function killedSince(
  begun: number,
  process: HostedProcess | undefined,
): Promise<KilledProgram | undefined> {
  const kill = await process?.memoryKill?.();
  return kill && kill.msAgo <= performance.now() - begun ? kill.program : undefined;
}

/** The fields of an answer; `oom_killed` is null if nothing that is known was killed. */
export function killedFields(killed: KilledProgram | undefined): {
  readonly oom_killed: true | null;
  readonly oom_process: string | null;
} {
  return { oom_killed: killed === undefined ? null : true, oom_process: killed || null };
}

/** What to say of it, in one line; undefined if nothing was killed. */
export function killedNote(killed: KilledProgram | undefined): string | undefined {
  if (killed === undefined) return undefined;
  return `a process was killed by the memory limit${killed === '' ? '' : ` (${killed})`}`;
}

/** The note as the last part of a message; empty if nothing was killed. */
export function killedSuffix(killed: KilledProgram | undefined): string {
  return killed === undefined ? '' : `; ${killedNote(killed)}`;
}
