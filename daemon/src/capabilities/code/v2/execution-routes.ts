import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { GrowingWork } from '../../../core/answers/answer-hold.ts';
import { isLoss } from '../../../core/event-log.ts';
import { sendNdjson } from '../../../http/streams/ndjson.ts';
import type { CodeService } from '../code-service.ts';
import type { Execution } from '../execution/execution.ts';
import { CellEvent } from '../wire/events.ts';
import { executionLines } from '../wire/ndjson-lines.ts';
import { ExecutionOutputs, ExecutionQuery, InputBody } from '../wire/schemas.ts';
import { cellHead, followedOutput, summaryOf } from '../wire/wire.ts';

const tags = ['code'];
const ExecutionParams = z.object({
  execution_id: z.string().meta({ examples: ['7d0e3c2a-5b1f-4c8e-9a55-0f6d2b9c1e47'] }),
});
/** Bytes of outputs of one JSON answer, beyond its first output. */
const ANSWER_BYTES = 8 * 1024 ** 2;

export function executionRoutesV2(app: App, service: CodeService): void {
  app.get('/code/executions/:execution_id', {
    config: { events: CellEvent },
    schema: {
      tags,
      operationId: 'readExecution',
      summary: 'Read the outputs of an execution',
      description: 'By number, up to ten minutes after its end.',
      params: ExecutionParams,
      produces: ['application/json', 'application/x-ndjson'],
      querystring: ExecutionQuery,
      response: { 200: envelopeOf(ExecutionOutputs), ...V2_ERRORS },
    },
    handler: async ({ params: { execution_id }, query, headers: { accept = '' } }, reply) => {
      const execution = service.executions.get(execution_id);
      const { offset, limit, wait, wait_timeout, stream } = query;
      if (stream || accept.includes('application/x-ndjson')) {
        return sendNdjson(reply, (gone) => executionLines(execution, offset, gone));
      }
      if (wait) await execution.moreThan(offset, { ms: wait_timeout * 1000, signal: clientGone(reply) });
      const report = execution.report();
      return ok(
        { ...outputsFrom(execution, offset, limit), status: report.status, execution: cellHead(report) },
        summaryOf(report),
      );
    },
  });

  app.post('/code/executions/:execution_id/interrupt', {
    schema: {
      tags,
      operationId: 'interruptExecution',
      summary: 'Interrupt a cell',
      description: 'As Ctrl-C does.',
      params: ExecutionParams,
      response: { 200: envelopeOf(z.object({ execution_id: z.string(), interrupted: z.boolean() })), ...V2_ERRORS },
    },
    handler: async ({ params: { execution_id } }) => {
      const interrupted = await service.interruptExecution(execution_id);
      return ok({ execution_id, interrupted }, interrupted ? 'the cell was interrupted' : 'the cell does not run');
    },
  });

  app.post('/code/executions/:execution_id/input', {
    schema: {
      tags,
      operationId: 'answerInput',
      summary: 'Answer the input() that waits',
      description: 'That of input() or getpass(); 409 if no prompt waits.',
      params: ExecutionParams,
      body: InputBody,
      response: { 200: envelopeOf(z.object({ execution_id: z.string() })), ...V2_ERRORS, 409: ErrorBody },
    },
    handler: ({ params: { execution_id }, body: { text } }) => {
      service.answerInput(execution_id, text);
      return ok({ execution_id }, 'the prompt was answered');
    },
  });
}

function outputsFrom(execution: Execution, offset: number, limit: number) {
  const outputs: z.infer<typeof ExecutionOutputs>['outputs'] = [];
  let next = Math.min(offset, execution.count);
  let firstOffset = 0;
  let bytes = 0;
  using work = new GrowingWork();
  for (const entry of execution.from(offset, limit)) {
    if (bytes > ANSWER_BYTES) break;
    next = entry.seq;
    if (isLoss(entry)) {
      firstOffset = entry.seq;
      continue;
    }
    const size = entry.type === 'stream' ? entry.text.length : 'data' in entry ? JSON.stringify(entry.data).length : 0;
    bytes += size;
    work.add(size);
    const output = followedOutput(entry);
    if (output) outputs.push(output);
  }
  return { execution_id: execution.id, outputs, offset: next, first_offset: firstOffset };
}
