import type { Answer } from './transport.ts';

/** Characters of one line; an answer of the service has lines far below. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** The pieces of the body of an answer, at the pace of the consumer. */
export async function* chunksOf({ response, touch }: Answer): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      touch();
      yield value;
      touch();
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The objects of an NDJSON answer. A last line without its end is incomplete and left out. */
export async function* jsonLines<T>(answer: Answer): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of chunksOf(answer)) {
    const [head = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(head);
    length += head.length;
    if (length > LONGEST_LINE) throw new Error('a line of the answer is too long');
    for (const next of rest) {
      const line = pieces.join('');
      pieces = [next];
      length = next.length;
      if (line !== '') yield JSON.parse(line) as T;
    }
  }
}
