import type { z } from 'zod';
import type { Output } from '../runtime/output.ts';
import type { NotebookOutput } from './schemas.ts';

/** An output in the layout of notebooks. */
export function notebookOutput(output: Output): z.infer<typeof NotebookOutput> {
  switch (output.type) {
    case 'stream':
      return { output_type: 'stream', name: output.name, text: output.text };
    case 'error':
      return {
        output_type: 'error',
        ename: output.ename,
        evalue: output.evalue,
        traceback: [...output.traceback],
      };
    case 'execute_result': {
      const { data, metadata, executionCount } = output;
      return {
        output_type: 'execute_result',
        data: { ...data },
        metadata: { ...metadata },
        execution_count: executionCount,
      };
    }
    case 'display_data':
      return { output_type: 'display_data', data: { ...output.data }, metadata: { ...output.metadata } };
    default:
      return output satisfies never;
  }
}
