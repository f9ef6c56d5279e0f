import { jsonText } from '@sandbox/program/json-text.ts';
/** An image in the answer of a tool. */
export interface ToolImage {
  readonly data: Buffer;
  readonly mimeType: string;
}

interface AnswerParts {
  /** Default: `data` as JSON. */
  readonly text?: string;
  /** Structured content; it fits the output schema of the tool if there is one. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly images?: readonly ToolImage[];
  /** The tool could not do what it was asked. */
  readonly isError?: boolean;
}

/** What a tool answers if one text or one object is not enough. */
export class ToolAnswer {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly images: readonly ToolImage[];
  readonly isError: boolean;

  constructor({ text, data, images = [], isError = false }: AnswerParts) {
    this.text = text ?? (data === undefined ? '' : jsonText(data));
    this.data = data;
    this.images = images;
    this.isError = isError;
  }
}
