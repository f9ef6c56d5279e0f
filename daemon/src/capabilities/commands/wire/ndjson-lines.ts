import { isAscii } from 'node:buffer';
import { isBinary, jsonString } from '../../../core/output/text-slice.ts';
import { follow, type Offsets } from '../output/follow.ts';
import type { Command } from '../run/command.ts';

/**
 * A command's output as NDJSON lines, until its end. Pieces that are not text (most of it would be escapes in JSON)
 * come in base64, as all do where that is asked for.
 */
export async function* ndjsonLines(
  command: Command,
  from: Offsets,
  encoding: 'utf-8' | 'base64',
  gone: AbortSignal,
): AsyncGenerator<string | Buffer> {
  for await (const event of follow(command.output, from, command.ended, gone)) {
    if (event.type === 'dropped') {
      yield line({ type: 'dropped', stream: event.stream, first_offset: event.firstOffset });
      continue;
    }
    const { stream: type, offset, bytes } = event;
    yield encoding === 'base64' || isBinary(bytes)
      ? `{"type":"${type}","offset":${offset},"data_base64":"${bytes.toString('base64')}"}\n`
      : textLine(`{"type":"${type}","offset":${offset},"data":`, bytes);
  }
  if (gone.aborted) return;
  const { status, exitCode, signal } = command.record;
  const { stdout, stderr } = command.output;
  yield line({ type: 'exit', status, exit_code: exitCode, signal, stdout_bytes: stdout.end, stderr_bytes: stderr.end });
}

/** A buffer, since a text as long as this would be measured, joined and encoded on its way to the socket. */
function textLine(head: string, bytes: Buffer): Buffer {
  const json = jsonString(bytes);
  if (!isAscii(bytes)) return Buffer.from(`${head}${json}}\n`);
  const whole = Buffer.allocUnsafe(head.length + json.length + 2);
  whole.write(head, 'latin1');
  whole.write(json, head.length, 'latin1');
  whole.write('}\n', head.length + json.length, 'latin1');
  return whole;
}

function line(event: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(event)}\n`;
}
