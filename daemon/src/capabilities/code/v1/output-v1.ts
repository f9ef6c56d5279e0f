import { z } from 'zod';
import type { CellReport } from '../execution/cell-report.ts';
import type { Output } from '../runtime/output.ts';
import { notebookOutput } from '../wire/notebook-output.ts';

const MimeData = z.record(z.string(), z.unknown()).nullable();

/** An output as 1.x has it: all nine keys are there, null if the kind has no use for them. */
export const OutputV1 = z
  .object({
    output_type: z.string(),
    name: z.string().nullable(),
    text: z.string().nullable(),
    data: MimeData,
    metadata: MimeData,
    execution_count: z.int().nullable(),
    ename: z.string().nullable(),
    evalue: z.string().nullable(),
    traceback: z.array(z.string()).nullable(),
  })
  .meta({ id: 'NotebookOutputV1' });

/** 1.x sends all fields. */
const ABSENT = {
  name: null,
  text: null,
  data: null,
  metadata: null,
  execution_count: null,
  ename: null,
  evalue: null,
  traceback: null,
};

export function outputV1(output: Output): z.infer<typeof OutputV1> {
  return { ...ABSENT, ...notebookOutput(output) };
}

/** 1.x knows `ok`, `error` and `timeout`. */
export function statusV1({ status }: CellReport): string {
  return status === 'lost' ? 'error' : status;
}
