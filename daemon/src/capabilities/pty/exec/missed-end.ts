import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause } from '@sandbox/api/wait.ts';
import type { History } from '../session/history.ts';
import type { ExecRun } from './exec-run.ts';
import { type Look, NOTHING, type Prompt } from './prompt.ts';

/** Milliseconds until the next look where the screen showed nothing. */
const AGAIN_MS = 250;

/**
 * Ends a command if its end mark may have been lost before offset `from`. It has ended if the shell has
 * the terminal and shows the prompt at which the command was typed.
 */
export async function noticeMissedEnd(
  run: ExecRun,
  { history, prompt, released }: { history: History; prompt: Prompt; released: () => boolean },
  from: number,
): Promise<void> {
  for (let at = from; run.status === 'running' && !history.closed; ) {
    await history.advanced(at, run.over);
    // Output during the look may be the prompt, and a look past its deadline answers no column.
    const { end } = history;
    const { ps1, column } = await lookOf(prompt);
    if (column !== undefined) at = end;
    if (ps1 !== '' && ps1 === run.console.ps1 && released()) run.endUnseen();
    // A disposed screen answers at once, and so does one whose thread cannot be started.
    if (column === undefined) await pause(AGAIN_MS, run.over);
  }
}

/** Nothing if the thread of the screen died during the look: the next one draws on another. */
async function lookOf(prompt: Prompt): Promise<Look> {
  try {
    return await prompt.look();
  } catch (error) {
    if (error instanceof SandboxError) return NOTHING;
    throw error;
  }
}
