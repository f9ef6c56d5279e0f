import type { OutputEvent, OutputStream } from './output.ts';

/** Characters after which a line is delivered in pieces. */
const LONGEST = 1024 * 1024;

/** The lines of one stream; a carriage return before the line feed belongs to the end. */
export async function* linesOf(events: AsyncIterable<OutputEvent>, stream: OutputStream): AsyncGenerator<string> {
  let rest = '';
  for await (const event of events) {
    if (event.type !== 'output' || event.stream !== stream) continue;
    const [head = '', ...lines] = event.text.split('\n');
    rest += head;
    for (const line of lines) {
      yield withoutReturn(rest);
      rest = line;
    }
    if (rest.length > LONGEST) {
      yield rest;
      rest = '';
    }
  }
  if (rest !== '') yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
