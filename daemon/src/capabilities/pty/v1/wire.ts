import type { z } from 'zod';
import type { PtySession } from '../session/session.ts';
import { execStatus } from '../wire/wire.ts';
import type { SessionInfoV1, ViewResult } from './schemas.ts';

/** Characters of output that an answer of 1.x has at most. */
export const TRUNCATED = 30_000;

/** The beginning and the end of what is too long, with a note between them. */
export function truncated(output: string): string {
  if (output.length <= TRUNCATED) return output;
  const note = `\n[... ${output.length - TRUNCATED} characters left out ...]\n`;
  const kept = TRUNCATED - note.length;
  return output.slice(0, Math.ceil(kept / 2)) + note + output.slice(output.length - Math.floor(kept / 2));
}

export function sessionInfoV1(session: PtySession): z.infer<typeof SessionInfoV1> {
  const { record } = session;
  return {
    working_dir: session.workingDir,
    created_at: record.createdAt,
    last_used_at: new Date(session.usedAt).toISOString(),
    age_seconds: Math.max(0, Math.floor((Date.now() - Date.parse(record.createdAt)) / 1000)),
    status: session.status,
    current_command: session.run?.console.command ?? null,
  };
}

/** The output of the newest command, or the screen where none was executed. */
export async function viewOf(session: PtySession): Promise<z.infer<typeof ViewResult>> {
  const executed = await session.executed();
  const console = executed.map((entry) => ({ ...entry, output: truncated(entry.output) }));
  const last = session.record.console.at(-1);
  const output = console.at(-1)?.output ?? (await session.screen.look('text')).output.trimEnd();
  return {
    session_id: session.id,
    output,
    console,
    status: execStatus(session),
    command: last?.command ?? null,
    exit_code: last?.exitCode ?? null,
  };
}
