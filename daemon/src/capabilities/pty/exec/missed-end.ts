import type { History } from '../session/history.ts';
import type { ExecRun } from './exec-run.ts';
import type { Prompt } from './prompt.ts';

/**
 * Ends a command if its end mark may have been lost before offset `from`. It has ended where the shell has
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
    const { ps1, column } = await prompt.look();
    if (column !== undefined) at = end;
    if (ps1 !== '' && ps1 === run.console.ps1 && released()) run.endUnseen();
  }
}
