import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import type { z } from 'zod';
import { has } from '../../../../scripts/testing/machine.ts';
import type { TestApp } from '../../app.fixture.ts';
import type { CellResult, NotebookOutput } from './wire/schemas.ts';

/** Milliseconds that a test with kernels may take: each start needs a second of a processor. */
export const PATIENCE_MS = 240_000;

export const describeKernels = describe.runIf(has('ipykernel'));
export const testKernels = test.runIf(has('ipykernel'));

/** The fields of every kind of output; a test knows the kind. */
interface AnyOutput {
  readonly output_type: z.infer<typeof NotebookOutput>['output_type'];
  readonly name?: string;
  readonly text?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly execution_count?: number | null;
  readonly ename?: string;
  readonly evalue?: string;
  readonly traceback?: readonly string[];
}

export type Result = Omit<z.infer<typeof CellResult>, 'outputs'> & { readonly outputs: readonly AnyOutput[] };

/** Runs a cell of Python and answers its `data`. */
export async function python(daemon: TestApp, code: string, more: object = {}): Promise<Result> {
  const answer = await daemon.post('/v2/code/execute', { language: 'python', code, timeout: 60, ...more });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
  return answer.json().data;
}

/** The value of the last expression, as text. */
export function resultOf({ outputs }: Result): unknown {
  return outputs.find((output) => output.output_type === 'execute_result')?.data?.['text/plain'];
}

/** The error that a cell raised. */
export function errorOf({ outputs }: Result): string | undefined {
  return outputs.find((output) => output.output_type === 'error')?.ename;
}

/** Pids of living processes whose environment has a variable with that value. */
export function processesWith(variable: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(variable);
      } catch {
        return false;
      }
    })
    .map(Number);
}
