/** The lines of a stream; of one with more bytes than `most`, an error in its place. */
export async function* inputLines(input: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string | Error> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const take = (): string | Error => {
    const line = length > most ? new Error(`a line has more than ${most / 1024 ** 2} MiB`) : joined(pieces);
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(10, from);
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
      length += piece.length;
      // What is too long is not kept.
      if (length <= most) pieces.push(piece);
      else pieces = [];
      if (end !== -1) yield take();
      from = end === -1 ? chunk.length : end + 1;
    }
  }
  if (length > 0) yield take();
}

function joined(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString();
}
