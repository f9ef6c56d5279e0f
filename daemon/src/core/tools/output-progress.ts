import { pause } from '@sandbox/api/wait.ts';

/** Bytes of output in one report; of more the newest. */
export const REPORT_BYTES = 8 * 1024;
/** Milliseconds from one report to the next. */
const EVERY_MS = 200;

/** Output since the last look. */
export interface NewOutput {
  readonly text: string;
  /** Bytes before the text that were left out. */
  readonly skipped: number;
  readonly isOver: boolean;
}

interface Terms {
  /** Undefined: nothing is reported. */
  readonly progress?: ((text: string) => void) | undefined;
  readonly gone: AbortSignal;
}

/** Reports new output to the client, until it is over or the returned object is disposed. */
export function reportOutput({ progress, gone }: Terms, look: (gone: AbortSignal) => Promise<NewOutput>): Disposable {
  const ended = new AbortController();
  if (progress !== undefined) void report(progress, look, AbortSignal.any([gone, ended.signal]));
  return { [Symbol.dispose]: () => ended.abort() };
}

async function report(
  progress: NonNullable<Terms['progress']>,
  look: (gone: AbortSignal) => Promise<NewOutput>,
  gone: AbortSignal,
): Promise<void> {
  try {
    for (;;) {
      const { text, skipped, isOver } = await look(gone);
      if (gone.aborted) return;
      if (text !== '') progress(skipped === 0 ? text : `[${skipped} bytes of output left out]\n${text}`);
      if (isOver) return;
      await pause(EVERY_MS, gone);
    }
  } catch {
    // The result, which reads the same output, says what is wrong.
  }
}
