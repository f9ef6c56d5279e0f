import { answerInstead } from './answer-hold.ts';

/** Characters of a text in the answer to work that is done while there is no memory for the whole answer. */
const CROWDED = 4 * 1024;

/**
 * The answer that `build` makes of the result of work that is done. While answers that clients have not read take too much
 * memory, it is that of the shortened result: a client that repeats a refused call would do the work twice.
 */
export function answerOfDone<R, T>(result: R, shorten: (result: R) => R, build: (result: R) => T): T {
  answerInstead(() => build(shorten(result)));
  return build(result);
}

/** The beginning and the end of a longer text, with a note between them. */
export function crowdedText(text: string, length = CROWDED): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  const left = text.length - 2 * half;
  const [head, tail] = [text.slice(0, half), text.slice(text.length - half)];
  return `${head}\n[... ${left} characters left out ...]\n${tail}`.toWellFormed();
}
