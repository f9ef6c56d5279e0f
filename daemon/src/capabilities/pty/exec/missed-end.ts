import type { History } from '../session/history.ts';
import type { ExecRun } from './exec-run.ts';
import type { Prompt } from './prompt.ts';

/**
 * The end of a command may have been in what nobody heard before the offset `from`: it is over where the shell has the
 * terminal and shows the prompt that it was called at.
 */
export async function noticeMissedEnd(
  run: ExecRun,
  { history, prompt, released }: { history: History; prompt: Prompt; released: () => boolean },
  from: number,
): Promise<void> {
  for (let at = from; run.status === 'running' && !history.closed; ) {
    await history.advanced(at);
    // What comes during the look may be the prompt; and a look that came too late saw none of it.
    const { end } = history;
    const { ps1, column } = await prompt.look();
    if (column !== undefined) at = end;
    if (ps1 !== '' && ps1 === run.console.ps1 && released()) run.endUnseen();
  }
}
