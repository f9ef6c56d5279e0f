/** How a shell or a command of it ended, besides its exit code. */
export function endFields({
  signal,
  memoryKilled,
}: {
  readonly signal?: string | null | undefined;
  readonly memoryKilled?: string | undefined;
}): { readonly signal: string | null; readonly oom_killed: boolean | null; readonly oom_process: string | null } {
  const oom_killed = memoryKilled === undefined ? null : true;
  return { signal: signal ?? null, oom_killed, oom_process: memoryKilled || null };
}
