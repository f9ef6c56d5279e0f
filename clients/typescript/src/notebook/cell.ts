import { fromBase64 } from '../core/encoding.ts';
import { SandboxError } from '../core/errors.ts';
import type { NotebookOutput } from '../wire.ts';

export type CellOutput =
  | { readonly type: 'stream'; readonly name: 'stdout' | 'stderr'; readonly text: string }
  /** Representations by MIME type; binary ones in base64. */
  | { readonly type: 'result' | 'display'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: 'error'; readonly name: string; readonly message: string; readonly traceback: readonly string[] };

export interface CellImage {
  /** Such as `image/png`. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface CellResult {
  readonly id: string;
  readonly status: 'ok' | 'error' | 'timeout' | 'lost';
  readonly stdout: string;
  readonly stderr: string;
  /** The value of the last expression as text; null without one. */
  readonly text: string | null;
  readonly images: readonly CellImage[];
  /** The last ones, up to `maxOutput`. */
  readonly outputs: readonly CellOutput[];
  /** Whether `outputs` lacks some. */
  readonly truncated: boolean;
  readonly executionCount: number | null;
  readonly warnings: readonly string[];
}

/** The cell raised, ran out of time, or its interpreter ended. */
export class CellFailed extends SandboxError {
  override readonly name = 'CellFailed';
  readonly result: CellResult;

  constructor(message: string, result: CellResult) {
    const error = result.outputs.find((output) => output.type === 'error');
    super(message, { hint: error?.traceback.join('\n').slice(-2000) ?? null });
    this.result = result;
  }
}

export function outputOf(output: NotebookOutput): CellOutput {
  switch (output.output_type) {
    case 'stream':
      return { type: 'stream', name: output.name === 'stderr' ? 'stderr' : 'stdout', text: textIn(output.text) };
    case 'error':
      return {
        type: 'error',
        name: textIn(output.ename),
        message: textIn(output.evalue),
        traceback: Array.isArray(output.traceback) ? output.traceback.map(textIn) : [],
      };
    default:
      return { type: output.output_type === 'execute_result' ? 'result' : 'display', data: objectIn(output.data) };
  }
}

/** Kernels write outputs, and not all keep to the format. */
function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function imagesOf(outputs: readonly CellOutput[]): CellImage[] {
  return outputs.flatMap((output) => ('data' in output ? picturesIn(output.data) : []));
}

/** The first picture of an output that can be shown. */
function picturesIn(data: Readonly<Record<string, unknown>>): CellImage[] {
  for (const type of ['image/png', 'image/jpeg', 'image/gif']) {
    const value = data[type];
    if (typeof value === 'string') return [{ type, bytes: fromBase64(value.replaceAll('\n', '')) }];
  }
  return [];
}

export function textOfResult(outputs: readonly CellOutput[]): string | null {
  const result = outputs.findLast((output) => output.type === 'result');
  const text = result && 'data' in result ? result.data['text/plain'] : undefined;
  return typeof text === 'string' ? text : null;
}
