import { isBinary, jsonString } from '../../core/text-slice.ts';
import type { Command } from './command.ts';
import { follow, type Offsets } from './follow.ts';

/**
 * A command's output as NDJSON lines, until its end. Pieces that are not text (most of it would be escapes in JSON)
 * come in base64, as all do where that is asked for.
 */
export async function* ndjsonLines(
  command: Command,
  from: Offsets,
  encoding: 'utf-8' | 'base64',
  gone: AbortSignal,
): AsyncGenerator<string> {
  for await (const event of follow(command.output, from, command.ended, gone)) {
    if (event.type === 'dropped') {
      yield line({ type: 'dropped', stream: event.stream, first_offset: event.firstOffset });
      continue;
    }
    const { stream: type, offset, bytes } = event;
    yield encoding === 'base64' || isBinary(bytes)
      ? `{"type":"${type}","offset":${offset},"data_base64":"${bytes.toString('base64')}"}\n`
      : `{"type":"${type}","offset":${offset},"data":${jsonString(bytes)}}\n`;
  }
  if (gone.aborted) return;
  const { status, exitCode, signal } = command.record;
  const { stdout, stderr } = command.output;
  yield line({ type: 'exit', status, exit_code: exitCode, signal, stdout_bytes: stdout.end, stderr_bytes: stderr.end });
}

function line(event: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(event)}\n`;
}
