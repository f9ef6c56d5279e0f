import { textBeginning } from '@sandbox/program/text-beginning.ts';
import type { MimeBundle, Output, OutputEvent } from '../runtime/output.ts';

/** Characters of text of one cell: its streams and its plain-text results together. */
export const TEXT_CHARACTERS = 2_000_000;
/** Bytes of all other representations of one cell, such as images. */
const DATA_BYTES = 128 * 1024 ** 2;
/** Outputs of one cell that are not streams. */
const OUTPUTS = 10_000;

const PLAIN = 'text/plain';

/** Bounds the outputs of one cell. What is left out is said once, in a note on stderr. */
export class OutputLimits {
  #text = TEXT_CHARACTERS;
  #bytes = DATA_BYTES;
  #outputs = OUTPUTS;
  #isFull = false;

  /** What is kept of the event, at most one note after it. */
  admit(event: OutputEvent): OutputEvent[] {
    if (event.type === 'clear_output' || event.type === 'input_request') return [event];
    if (this.#isFull) return [];
    return event.type === 'stream' ? this.#admitStream(event) : this.#admitOther(event);
  }

  #admitStream(event: Extract<Output, { type: 'stream' }>): OutputEvent[] {
    if (event.text === '') return [];
    const text = cut(event.text, this.#text);
    this.#text -= text.length;
    const kept = text === '' ? [] : [text === event.text ? event : { ...event, text }];
    return text.length < event.text.length ? [...kept, this.#fill()] : kept;
  }

  #admitOther(event: Exclude<OutputEvent, { type: 'stream' | 'clear_output' | 'input_request' }>): OutputEvent[] {
    this.#outputs -= 1;
    if (this.#outputs < 0) return [this.#fill(`of more than ${OUTPUTS} outputs`)];
    if (event.type === 'error') {
      this.#text -= Math.min(this.#text, sizeOf(event.traceback));
      return [boundedError(event)];
    }
    const plain = event.data[PLAIN];
    const { [PLAIN]: _, ...others } = event.data;
    this.#bytes -= sizeOf(others);
    if (this.#bytes < 0) return [this.#fill(`of more than ${DATA_BYTES} bytes`)];
    if (typeof plain !== 'string') return [event];
    const text = cut(plain, this.#text);
    this.#text -= text.length;
    if (text === plain) return [event];
    const data: MimeBundle = { ...event.data, [PLAIN]: text };
    return [{ ...event, data }, this.#fill()];
  }

  #fill(why = `of more than ${TEXT_CHARACTERS} characters`): OutputEvent {
    this.#isFull = true;
    return { type: 'stream', name: 'stderr', text: `\n[output ${why} is left out from here on]\n` };
  }
}

/** Characters of an error's message and of each line of its traceback, and lines of it, that are kept. */
const ERROR_CHARACTERS = 200_000;
const ERROR_LINES = 1000;

function boundedError(event: Extract<Output, { type: 'error' }>): Output {
  const lines = event.traceback.length > ERROR_LINES ? event.traceback.slice(-ERROR_LINES) : event.traceback;
  return {
    type: 'error',
    ename: cut(event.ename, 1000),
    evalue: cut(event.evalue, ERROR_CHARACTERS),
    traceback: lines.map((line) => cut(line, ERROR_CHARACTERS)),
  };
}

/** At most that many characters, and no half of a pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return textBeginning(text, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

/** Roughly its bytes as JSON. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  for (const [key, item] of Object.entries(value)) size += key.length + 4 + sizeOf(item);
  return size;
}
