import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import type { z } from 'zod';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerByStatus } from '../../../http/v1/error-handlers.ts';
import type { CodeService } from '../code-service.ts';
import type { CellReport } from '../execution/cell-report.ts';
import { cellAnswer } from '../wire/cell-answer.ts';
import { detailsOnWire, summaryOf, timeoutHint } from '../wire/wire.ts';
import { CodeExecuteBody, CodeInfoV1, CodeLanguage, CodeResult, TIMEOUT } from './code-schemas.ts';
import { TIMEOUT_MAX } from './jupyter-schemas.ts';
import { outputV1, statusV1 } from './output-v1.ts';

const tags = ['code'];
const ERRORS = { ...V1_ERRORS, 409: ErrorBody, 429: ErrorBody, 503: ErrorBody };

/** Python and JavaScript in the layout of 1.x. */
export function cellsV1(app: App, service: CodeService): void {
  app.setErrorHandler(answerByStatus);
  app.post('/code/execute', {
    schema: {
      tags,
      operationId: 'executeCode',
      summary: 'Run Python or JavaScript',
      body: CodeExecuteBody,
      response: { 200: envelopeOf(CodeResult), ...ERRORS },
    },
    handler: async ({ body: { language, code, timeout, cwd, stateful, session_id } }, reply) => {
      const id = session_id || undefined;
      const keeps = stateful ?? id !== undefined;
      const request = { language, code, timeoutSeconds: timeout, cwd, ...(keeps && { sessionId: id, stateful: true }) };
      const report = await service.execute(request, clientGone(reply));
      return cellAnswer(report, (each) => ({
        ...ok({ language, ...resultOf(each) }, summaryOf(each)),
        hint: timeoutHint(each),
      }));
    },
  });

  app.get('/code/info', {
    schema: {
      tags,
      operationId: 'getCodeInfo',
      summary: 'The languages that there are',
      response: { 200: envelopeOf(CodeInfoV1), ...V1_ERRORS },
    },
    handler: async () => {
      const found = await service.languages();
      const languages = CodeLanguage.options.flatMap((language) => {
        const info = found.find((each) => each.language === language);
        if (info === undefined) return [];
        const { description, version, details } = info;
        const limits = { default_timeout: TIMEOUT, max_timeout: TIMEOUT_MAX };
        return [{ language, description, runtime_version: version, ...limits, details: detailsOnWire(details) }];
      });
      return ok({ languages }, counted(languages.length, 'language'));
    },
  });
}

function resultOf(report: CellReport): Omit<z.infer<typeof CodeResult>, 'language'> {
  const error = report.outputs.findLast((output) => output.type === 'error');
  return {
    status: statusV1(report),
    outputs: report.outputs.map(outputV1),
    code: report.code,
    stdout: report.stdout,
    stderr: report.stderr,
    exit_code: report.exitCode,
    traceback: error ? [...error.traceback] : null,
    session_id: report.sessionId,
    warnings: [...report.warnings],
  };
}
