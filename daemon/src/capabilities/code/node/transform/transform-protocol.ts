/** A cell for the thread that rewrites code. */
export interface TransformRequest {
  readonly id: number;
  readonly language: string;
  readonly code: string;
}

/** A syntax error of the author of the code, with a line and a column from 1 on if they are known. */
export interface TransformError {
  readonly name: string;
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export interface TransformAnswer {
  readonly id: number;
  readonly code?: string;
  /** Line of the author's code, from 1 on, by line of the answer; absent if no line has moved. */
  readonly lines?: readonly number[];
  readonly error?: TransformError;
}
