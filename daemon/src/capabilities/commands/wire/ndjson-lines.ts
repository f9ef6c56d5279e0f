import { isAscii } from 'node:buffer';
import { isBinary, jsonString } from '../../../core/output/text-slice.ts';
import type { FollowEvent } from '../output/follow.ts';

/**
 * The output of a command as NDJSON lines, up to its end. Pieces that are not text, which would be mostly escapes in
 * JSON, are in base64; with that encoding, all are.
 */
export async function* ndjsonLines(
  events: AsyncIterable<FollowEvent>,
  encoding: 'utf-8' | 'base64',
): AsyncGenerator<string | Buffer> {
  for await (const event of events) if (event.type !== 'eof') yield lineOf(event, encoding);
}

function lineOf(event: Exclude<FollowEvent, { type: 'eof' }>, encoding: 'utf-8' | 'base64'): string | Buffer {
  switch (event.type) {
    case 'bytes': {
      const { stream, offset, bytes } = event;
      return encoding === 'base64' || isBinary(bytes)
        ? `{"type":"${stream}","offset":${offset},"data_base64":"${bytes.toString('base64')}"}\n`
        : textLine(`{"type":"${stream}","offset":${offset},"data":`, bytes);
    }
    case 'dropped':
      return `${JSON.stringify({ type: 'dropped', stream: event.stream, first_offset: event.firstOffset })}\n`;
    case 'exit': {
      const { status, exitCode, signal, usage, message } = event.record;
      const { stdout, stderr } = event.ends;
      const oom = { oom_killed: usage?.oomKilled ?? null, oom_process: usage?.oomProcess ?? null };
      const ends = { stdout_bytes: stdout, stderr_bytes: stderr };
      const exit = { type: 'exit', status, exit_code: exitCode, signal, ...oom, ...ends };
      return `${JSON.stringify(message === null ? exit : { ...exit, message })}\n`;
    }
    default:
      return event satisfies never;
  }
}

/** A buffer, since a string of this length would be measured, joined and encoded on its way to the socket. */
function textLine(head: string, bytes: Buffer): Buffer {
  const json = jsonString(bytes);
  if (!isAscii(bytes)) return Buffer.from(`${head}${json}}\n`);
  const whole = Buffer.allocUnsafe(head.length + json.length + 2);
  whole.write(head, 'latin1');
  whole.write(json, head.length, 'latin1');
  whole.write('}\n', head.length + json.length, 'latin1');
  return whole;
}
