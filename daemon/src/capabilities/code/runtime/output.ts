import { textBeginning } from '@sandbox/program/text-beginning.ts';

/** Representations of one value by MIME type (nbformat 4): text, or JSON for JSON types; binary data is base64. */
export type MimeBundle = Readonly<Record<string, unknown>>;

export type StreamName = 'stdout' | 'stderr';

interface StreamOutput {
  readonly type: 'stream';
  readonly name: StreamName;
  readonly text: string;
}

export interface ErrorOutput {
  readonly type: 'error';
  readonly ename: string;
  readonly evalue: string;
  /** Lines, with the ANSI colours that the interpreter gave them. */
  readonly traceback: readonly string[];
}

/** An output of a notebook cell (nbformat 4). */
export type Output =
  | StreamOutput
  | ErrorOutput
  | {
      readonly type: 'execute_result';
      readonly data: MimeBundle;
      readonly metadata: MimeBundle;
      readonly executionCount: number | null;
    }
  | {
      readonly type: 'display_data';
      readonly data: MimeBundle;
      readonly metadata: MimeBundle;
      /** A later update with the same id replaces the data. */
      readonly displayId?: string;
    };

/** A prompt of the cell, which waits for its answer. */
export interface InputRequest {
  readonly type: 'input_request';
  readonly prompt: string;
  readonly isPassword: boolean;
  /** Which prompt of the cell it is, from 1 on, if the interpreter was asked after a restart of the daemon. */
  readonly number?: number | undefined;
}

/** Characters of a prompt that are kept. */
const PROMPT_CHARACTERS = 10_000;

/** The prompt that a message of an interpreter carries. */
export function inputRequest({ prompt, password, number }: Readonly<Record<string, unknown>>): InputRequest {
  const counted = typeof number === 'number' ? { number } : {};
  const text = typeof prompt === 'string' ? textBeginning(prompt, PROMPT_CHARACTERS) : '';
  return { type: 'input_request', prompt: text, isPassword: password === true, ...counted };
}

/** What an interpreter reports while a cell runs: outputs, changes to earlier outputs of the cell, and prompts. */
export type OutputEvent =
  | Output
  | InputRequest
  | {
      readonly type: 'update_display_data';
      readonly data: MimeBundle;
      readonly metadata: MimeBundle;
      readonly displayId: string;
    }
  /** With `wait` the outputs go when the next one comes. */
  | { readonly type: 'clear_output'; readonly wait: boolean };

/** Replaces outputs of the time without a daemon that nothing kept. */
export const GAP: OutputEvent = {
  type: 'stream',
  name: 'stderr',
  text: '\n[outputs of the time in which the service was not running are left out]\n',
};

/** Replaces outputs in the record of a cell that a full disk refused. */
export const REFUSED: OutputEvent = {
  type: 'stream',
  name: 'stderr',
  text: '\n[outputs are left out: the disk of the service was full]\n',
};

/** Takes the outputs of one cell in their order. It bounds what it keeps and never makes the interpreter wait. */
export interface OutputSink {
  write(event: OutputEvent): void;
}

/** What was taken of a cell: characters of each stream, and the number of all other events. */
export interface Had extends Readonly<Record<StreamName, number>> {
  readonly others: number;
}

/** What these events are together. */
export function hadOf(events: readonly OutputEvent[]): Had {
  const had = { stdout: 0, stderr: 0, others: 0 };
  for (const event of events) {
    if (event.type === 'stream') had[event.name] += event.text.length;
    else if (event.type !== 'input_request') had.others += 1;
  }
  return had;
}
