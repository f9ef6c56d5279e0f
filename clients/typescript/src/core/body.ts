import { notOfSandbox, type Shape, shaped } from './shape.ts';

/** An answer that is read as it arrives. Disposed, it ends its connection unless it was read to its end. */
export interface Answer extends Disposable {
  readonly response: Response;
  /** Called for each piece: the connection lives. */
  readonly touch: () => void;
}

/** Bytes of one line or one answer that is read as a whole; those of the service are far below. */
const LONGEST = 64 * 1024 * 1024;
/** Bytes of an error that are read. */
const LONGEST_ERROR = 1024 * 1024;

/** The pieces of the body of an answer, at the pace of the consumer. */
export async function* chunksOf({ response, touch }: Answer): AsyncGenerator<Uint8Array<ArrayBuffer>> {
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

/** The whole body. @throws SandboxError for more than 64 MiB */
export async function bytesOfAnswer(answer: Answer): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes, isWhole } = await beginning(answer, LONGEST);
  if (!isWhole) throw notOfSandbox(`it has more than ${LONGEST / 1024 ** 2} MiB`);
  return bytes;
}

/** As `bytesOfAnswer`, for text. */
export async function textOfAnswer(answer: Answer): Promise<string> {
  return new TextDecoder().decode(await bytesOfAnswer(answer));
}

/** The body of an error, of a long one its beginning. */
export async function textOfError(answer: Answer): Promise<string> {
  return new TextDecoder().decode((await beginning(answer, LONGEST_ERROR)).bytes);
}

async function beginning(
  answer: Answer,
  most: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isWhole: boolean }> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let isWhole = true;
  for await (const chunk of chunksOf(answer)) {
    chunks.push(chunk);
    length += chunk.length;
    isWhole = length <= most;
    if (!isWhole) break;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { bytes, isWhole };
}

/** A line of a stream: its type, and fields that belong to it. */
interface Line {
  readonly type: string;
}

/**
 * The objects of an NDJSON answer whose types have a shape; others are those of a newer service and left out. A last
 * line without its end is incomplete and left out too.
 * @throws SandboxError for what is not NDJSON
 */
export async function* jsonLines<T>(answer: Answer, shapes: Readonly<Record<string, Shape>>): AsyncGenerator<T> {
  const type = answer.response.headers.get('content-type') ?? 'nothing';
  if (!type.startsWith('application/x-ndjson')) throw notOfSandbox(`it is ${type.slice(0, 100)}, not a stream of JSON`);
  for await (const text of textLines(answer)) {
    if (text === '') continue;
    const line = shaped<Line>(parsed(text), { type: 'string' }, 'a line');
    const shape = Object.hasOwn(shapes, line.type) ? shapes[line.type] : undefined;
    if (shape !== undefined) yield shaped<T>(line, shape, line.type);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notOfSandbox('a line is not JSON', cause);
  }
}

/** The lines of an answer of text; a last one without its end is left out. */
export async function* textLines(answer: Answer): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of chunksOf(answer)) {
    const [head = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(head);
    length += head.length;
    if (length > LONGEST) throw notOfSandbox(`a line has more than ${LONGEST / 1024 ** 2} MiB`);
    for (const next of rest) {
      yield pieces.join('');
      pieces = [next];
      length = next.length;
    }
  }
}
