import { addressOf, Refusal, request } from '../sandbox/api.ts';
import { jsonLines } from '../sandbox/lines.ts';
import { link } from '../sandbox/link.ts';
import type { CellOutput, Execution } from './cell.ts';

export interface CellFollower {
  readonly onOutput: (output: CellOutput) => void;
  readonly onPrompt: (prompt: { readonly text: string; readonly isPassword: boolean }) => void;
  readonly onEnd: (execution: Execution) => void;
}

type Message =
  | { readonly type: 'output'; readonly offset: number; readonly output: CellOutput }
  | { readonly type: 'input_request'; readonly prompt: string; readonly password: boolean }
  | { readonly type: 'execution' | 'heartbeat' | 'dropped' }
  | ({ readonly type: 'result' } & Execution);

/**
 * Reads the outputs of a cell as they are written, until its end. A connection that is cut is made again at the output
 * that was reached.
 * @throws Refusal if the service does not know the execution any more
 */
export async function followCell(id: string, follower: CellFollower): Promise<void> {
  const reached = { offset: 0 };
  for (;;) {
    try {
      if (await readOnce(id, reached, follower)) return;
    } catch (error) {
      if (error instanceof Refusal && !error.isPassing) throw error;
    }
    await link.whenBack();
  }
}

/** @returns whether the cell has ended */
async function readOnce(id: string, reached: { offset: number }, follower: CellFollower): Promise<boolean> {
  const query = { stream: true, offset: reached.offset };
  const { body } = await request(addressOf(`v2/code/executions/${encodeURIComponent(id)}`, query), {});
  if (!body) return false;
  for await (const message of jsonLines<Message>(body)) {
    if (message.type === 'result') {
      follower.onEnd(message);
      return true;
    }
    if (message.type === 'input_request') {
      follower.onPrompt({ text: message.prompt, isPassword: message.password });
    } else if (message.type === 'output') {
      reached.offset = message.offset + 1;
      follower.onOutput(message.output);
    }
  }
  return false;
}
