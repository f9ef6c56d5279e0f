import { type KilledProgram, killedFields } from '../../../core/process/memory-kill.ts';

/** How a shell or a command of it ended, besides its exit code. */
export function endFields({
  signal,
  memoryKilled,
}: {
  readonly signal?: string | null | undefined;
  readonly memoryKilled?: KilledProgram | undefined;
}): { readonly signal: string | null } & ReturnType<typeof killedFields> {
  return { signal: signal ?? null, ...killedFields(memoryKilled) };
}
