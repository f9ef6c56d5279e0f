import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { type Envelope, ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { located } from '@sandbox/api/http/validation.ts';
import type { z } from 'zod';
import { linksTo } from '../../../http/openapi/links.ts';
import { sendNdjson } from '../../../http/streams/ndjson.ts';
import type { CodeService } from '../code-service.ts';
import type { CellReport, CellRequest } from '../execution/cell-report.ts';
import { cellAnswer } from '../wire/cell-answer.ts';
import { CellEvent } from '../wire/events.ts';
import { executionLines } from '../wire/ndjson-lines.ts';
import { CellResult, CodeInfo, ExecuteBody } from '../wire/schemas.ts';
import { cellResult, detailsOnWire, hasFailed, summaryOf, timeoutHint } from '../wire/wire.ts';
import { executionRoutesV2 } from './execution-routes.ts';
import { sessionRoutesV2 } from './session-routes.ts';

const tags = ['code'];
const ERRORS = { ...V2_ERRORS, 409: ErrorBody, 429: ErrorBody, 503: ErrorBody };

export function codeV2(app: App, service: CodeService): void {
  app.post('/code/execute', {
    links: linksTo({ execution_id: '/data/execution_id' }, ['readExecution', 'interruptExecution', 'answerInput']),
    config: { events: CellEvent },
    schema: {
      tags,
      operationId: 'executeCode',
      summary: 'Run code, in a session that keeps its state or alone',
      description:
        'A cell that raises answers 200 with success false. With application/x-ndjson in the header Accept its outputs ' +
        'are streamed, unless async is true; without it, one JSON answer has them all.',
      produces: ['application/json', 'application/x-ndjson'],
      body: ExecuteBody,
      response: { 200: envelopeOf(CellResult), ...ERRORS },
    },
    handler: async ({ body, headers: { accept = '' } }, reply) => {
      const isStream = accept.includes('application/x-ndjson');
      const request = { ...cellRequest(body), cwd: service.resolve(body), isInteractive: body.async || isStream };
      if (body.async) return answer((await located(service.beginLater(request))).report());
      const execution = await located(service.begin(request, clientGone(reply)));
      if (isStream) {
        return sendNdjson(reply, (gone) => executionLines(execution, 0, gone));
      }
      await execution.ended;
      return cellAnswer(execution.report(), answer);
    },
  });

  app.get('/code/info', {
    schema: {
      tags,
      operationId: 'getCodeInfo',
      summary: 'The languages and kernels that there are',
      response: { 200: envelopeOf(CodeInfo), ...V2_ERRORS },
    },
    handler: async () => {
      const languages = (await service.languages()).map(({ table, details, aliases, ...language }) => ({
        ...language,
        aliases: [...aliases],
        details: detailsOnWire(details),
        max_sessions: service.limits(table).maxSessions,
        session_timeout_seconds: service.limits(table).idleSeconds,
      }));
      return ok({ languages, default_timeout: 30, max_timeout: 900 }, counted(languages.length, 'language'));
    },
  });

  executionRoutesV2(app, service);
  sessionRoutesV2(app, service);
}

function cellRequest(body: z.infer<typeof ExecuteBody>): CellRequest {
  const { session_id: sessionId, kernel_name: kernelName, timeout: timeoutSeconds, async: _, ...rest } = body;
  const { idempotency_key: idempotencyKey, ...same } = rest;
  return { ...same, sessionId, kernelName, timeoutSeconds, idempotencyKey };
}

function answer(report: CellReport): Envelope<z.infer<typeof CellResult>> {
  const data = cellResult(report);
  const message = summaryOf(report);
  return hasFailed(report) ? { ...ok(data, message), success: false, hint: timeoutHint(report) } : ok(data, message);
}
