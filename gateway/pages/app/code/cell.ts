/** A notebook output of `GET /v2/code/executions/{execution_id}`. */
export type CellOutput =
  | { readonly output_type: 'stream'; readonly name: 'stdout' | 'stderr'; readonly text: string }
  | { readonly output_type: 'execute_result'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly output_type: 'display_data'; readonly data: Readonly<Record<string, unknown>> }
  | {
      readonly output_type: 'error';
      readonly ename: string;
      readonly traceback: readonly string[];
      readonly evalue: string;
    };

type CellStatus = 'running' | 'ok' | 'error' | 'timeout' | 'lost';

/** An execution, as the service describes it. */
export interface Execution {
  readonly execution_id: string;
  readonly session_id: string | null;
  readonly language: string;
  readonly code: string;
  readonly status: CellStatus;
  readonly started_at: string;
  readonly ended_at: string | null;
}

/** A cell that the page shows: one that it has run, or one of another client that runs. */
export interface Cell extends Execution {
  readonly isOwn: boolean;
  readonly outputs: readonly CellOutput[];
  /** The prompt of `input()` while it waits. */
  readonly prompt?: { readonly text: string; readonly isPassword: boolean } | undefined;
  /** Why its output cannot be read any more. */
  readonly fault?: unknown;
}

export interface CodeSession {
  readonly session_id: string;
  readonly language: string;
  readonly state: 'idle' | 'busy';
  readonly user: string;
}

/** Consecutive text of a cell, or one result. */
export type Shown =
  | {
      readonly kind: 'text';
      readonly parts: readonly { readonly stream: 'stdout' | 'stderr'; readonly text: string }[];
    }
  | { readonly kind: 'rich'; readonly data: Readonly<Record<string, unknown>> };

type Part = Extract<Shown, { kind: 'text' }>['parts'][number];

/** Outputs in their order, neighbouring texts as one. */
export function shownOf(outputs: readonly CellOutput[]): readonly Shown[] {
  const all: Shown[] = [];
  let parts: Part[] | undefined;
  for (const output of outputs) {
    if (output.output_type === 'execute_result' || output.output_type === 'display_data') {
      parts = undefined;
      all.push({ kind: 'rich', data: output.data });
      continue;
    }
    if (!parts) {
      parts = [];
      all.push({ kind: 'text', parts });
    }
    parts.push(partOf(output));
  }
  return all;
}

function partOf(output: Extract<CellOutput, { output_type: 'stream' | 'error' }>): Part {
  if (output.output_type === 'stream') return { stream: output.name, text: output.text };
  return { stream: 'stderr', text: `${output.traceback.join('\n') || output.evalue}\n` };
}

/** The Python package whose absence ended a cell; undefined for any other end. */
export function missingPackage({ language, outputs }: Pick<Cell, 'language' | 'outputs'>): string | undefined {
  const last = outputs.at(-1);
  if (language !== 'python' || last?.output_type !== 'error' || last.ename !== 'ModuleNotFoundError') return undefined;
  return /^No module named '(\w{1,100})/.exec(last.evalue)?.[1];
}
