import type { Message } from './ripgrep-messages.ts';

/** Most bytes of a line; a message stands for a longer one. */
const MAX_LINE = 32 * 1024 ** 2;
const NEWLINE = 0x0a;
const OVERSIZE = { type: 'oversize', isLast: false } satisfies Message;

/** The lines of a stream of JSON, one value each. */
export async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncIterable<unknown> {
  let rest: Buffer[] = [];
  let restLength = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const tail = chunk.subarray(start, end);
      const isWhole = restLength + tail.length <= MAX_LINE;
      yield isWhole ? JSON.parse(Buffer.concat([...rest, tail]).toString('utf8')) : OVERSIZE;
      rest = [];
      restLength = 0;
      start = end + 1;
    }
    const left = chunk.subarray(start);
    restLength += left.length;
    if (restLength <= MAX_LINE) rest.push(left);
    else rest = [];
  }
}
