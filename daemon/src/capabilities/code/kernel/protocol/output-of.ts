import { stripVTControlCharacters } from 'node:util';
import type { MimeBundle, OutputEvent } from '../../runtime/output.ts';
import { NO_ANSWER } from '../program/input.ts';
import type { Message } from './message.ts';

/** What ipykernel raises if it may not ask. */
const NO_INPUT = 'StdinNotImplementedError';

/** The output that a message of iopub carries; undefined if it carries none. */
export function outputOf({ header, content }: Message): OutputEvent | undefined {
  switch (header.msg_type) {
    case 'stream':
      return {
        type: 'stream',
        name: content['name'] === 'stderr' ? 'stderr' : 'stdout',
        text: textOf(content['text']),
      };
    case 'execute_result':
      return {
        type: 'execute_result',
        ...representations(content),
        executionCount: countOf(content['execution_count']),
      };
    case 'display_data':
      return { type: 'display_data', ...representations(content), ...displayId(content) };
    case 'update_display_data':
      return { type: 'update_display_data', displayId: '', ...representations(content), ...displayId(content) };
    case 'error':
      return errorOf(content);
    case 'clear_output':
      return { type: 'clear_output', wait: content['wait'] === true };
    default:
      return undefined;
  }
}

/**
 * What a reply carries for a pager (`?name`) or for the next cell (`%load`), as text on stdout: a caller has neither.
 * Jupyter: messaging, payloads.
 */
export function pagesOf(payload: unknown): OutputEvent[] {
  if (!Array.isArray(payload)) return [];
  return payload.flatMap((each: unknown) => {
    const { source, data, text } = bundle(each);
    const page =
      source === 'page' ? textOf(bundle(data)['text/plain']) : source === 'set_next_input' ? textOf(text) : '';
    const plain = stripVTControlCharacters(page);
    return plain === '' ? [] : [{ type: 'stream', name: 'stdout', text: plain.endsWith('\n') ? plain : `${plain}\n` }];
  });
}

/** Whether the code of the cell has ended the kernel, as `exit()` does. Jupyter: messaging, payloads. */
export function asksExit(payload: unknown): boolean {
  if (!Array.isArray(payload)) return false;
  return payload.some((each: unknown) => {
    const { source, keepkernel } = bundle(each);
    return source === 'ask_exit' && keepkernel !== true;
  });
}

/** A kernel that runs no program of ours says of `input()` that its frontend takes none; the caller reads what to do. */
function errorOf(content: Message['content']): OutputEvent {
  const ename = textOf(content['ename']);
  const said = textOf(content['evalue']);
  const evalue = ename === NO_INPUT && said !== '' ? NO_ANSWER : said;
  const traceback = Array.isArray(content['traceback']) ? content['traceback'].map(textOf) : [];
  return { type: 'error', ename, evalue, traceback: traceback.map((line) => line.replaceAll(said, evalue)) };
}

export function countOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function representations(content: Message['content']): { data: MimeBundle; metadata: MimeBundle } {
  return { data: bundle(content['data']), metadata: bundle(content['metadata']) };
}

function bundle(value: unknown): MimeBundle {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as MimeBundle) : {};
}

function displayId({ transient }: Message['content']): { displayId: string } | undefined {
  const id = bundle(transient)['display_id'];
  return typeof id === 'string' ? { displayId: id } : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
