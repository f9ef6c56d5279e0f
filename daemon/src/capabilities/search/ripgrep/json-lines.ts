/** Most bytes of a line; longer ones are skipped. */
const MAX_LINE = 32 * 1024 ** 2;
const NEWLINE = 0x0a;

/** The lines of a stream of JSON, one value each. */
export async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncIterable<unknown> {
  let rest: Buffer[] = [];
  let restLength = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const tail = chunk.subarray(start, end);
      if (restLength + tail.length <= MAX_LINE) yield JSON.parse(Buffer.concat([...rest, tail]).toString('utf8'));
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
