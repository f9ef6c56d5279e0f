import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { located } from '@sandbox/api/http/validation.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { linksTo } from '../../../http/openapi/links.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerByStatus } from '../../../http/v1/error-handlers.ts';
import type { CodeService } from '../code-service.ts';
import type { CellReport } from '../execution/cell-report.ts';
import { cellAnswer } from '../wire/cell-answer.ts';
import { summaryOf, timeoutHint } from '../wire/wire.ts';
import {
  JupyterCreateBody,
  JupyterCreated,
  JupyterExecuteBody,
  JupyterInfo,
  JupyterResult,
  JupyterSessions,
} from './jupyter-schemas.ts';
import { outputV1 } from './output-v1.ts';

const tags = ['jupyter'];
const ERRORS = { ...V1_ERRORS, 409: ErrorBody, 429: ErrorBody, 501: ErrorBody, 503: ErrorBody };
const Params = z.object({ session_id: z.string().meta({ examples: ['analysis'] }) });
const Deleted = z.null();
const DETECTION = 'ipykernel of each Python on PATH, then the kernel specs of Jupyter';

/** The kernels in the layout of 1.x; without ipykernel all of it answers 501. */
export function jupyterV1(app: App, service: CodeService): void {
  app.setErrorHandler(answerByStatus);
  app.addHook('preHandler', async () => {
    await service.requireKernels();
  });
  cellRoutes(app, service);
  sessionRoutes(app, service);
}

function cellRoutes(app: App, service: CodeService): void {
  app.post('/jupyter/execute', {
    schema: {
      tags,
      operationId: 'executeJupyter',
      summary: 'Run a cell in a Jupyter kernel',
      body: JupyterExecuteBody,
      response: { 200: envelopeOf(JupyterResult), ...ERRORS },
    },
    handler: async ({ body: { code, timeout, kernel_name, session_id, cwd } }, reply) => {
      const request = {
        ...kernelOf(kernel_name),
        isOutside: service.hasOutside,
        code,
        timeoutSeconds: timeout,
        sessionId: session_id || undefined,
        cwd,
      };
      const report = await located(service.execute(request, clientGone(reply)));
      return cellAnswer(report, (each) => ({ ...ok(resultOf(each), summaryOf(each)), hint: timeoutHint(each) }));
    },
  });

  app.get('/jupyter/info', {
    schema: {
      tags,
      operationId: 'getJupyterInfo',
      summary: 'The kernels that there are',
      response: { 200: envelopeOf(JupyterInfo), ...ERRORS },
    },
    handler: async () => {
      const kernels = await service.jupyterKernelNames();
      const { maxSessions, idleSeconds } = service.limits('kernel');
      const data = {
        default_kernel: kernels[0] ?? 'python3',
        available_kernels: kernels,
        active_sessions: service.listSessions('kernel').length,
        session_timeout_seconds: Math.round(idleSeconds),
        max_sessions: maxSessions,
        description: 'Jupyter kernels; a session keeps its variables between calls',
        kernel_detection: service.hasOutside ? 'the Jupyter server of SVC_JUPYTER_ENDPOINT' : DETECTION,
      };
      return ok(data, counted(kernels.length, 'kernel'));
    },
  });
}

function sessionRoutes(app: App, service: CodeService): void {
  app.get('/jupyter/sessions', {
    schema: {
      tags,
      operationId: 'listJupyterSessions',
      summary: 'The kernel sessions by id',
      response: { 200: envelopeOf(JupyterSessions), ...ERRORS },
    },
    handler: async () => {
      const sessions = service.listSessions('kernel').map(({ sessionId, variant, lastUsedAt, ageMs }) => {
        const age = Math.floor(ageMs / 1000);
        return [sessionId, { kernel_name: variant, last_used: lastUsedAt.getTime() / 1000, age_seconds: age }] as const;
      });
      return ok({ sessions: Object.fromEntries(sessions) }, counted(sessions.length, 'session'));
    },
  });

  app.post('/jupyter/sessions/create', {
    links: linksTo({ session_id: '/data/session_id' }, ['endJupyterSession']),
    schema: {
      tags,
      operationId: 'createJupyterSession',
      summary: 'Start a kernel; the id of an existing session gives that one',
      body: JupyterCreateBody,
      response: { 200: envelopeOf(JupyterCreated), ...ERRORS },
    },
    handler: async ({ body: { session_id, kernel_name, cwd } }) => {
      const isOutside = service.hasOutside;
      const request = { ...kernelOf(kernel_name), isOutside, sessionId: session_id || undefined, cwd };
      const { session, created } = await located(service.createSession(request));
      const message = created ? 'the kernel was started' : 'the session was there already';
      return ok({ session_id: session.sessionId, kernel_name: session.variant, message }, message);
    },
  });

  app.delete('/jupyter/sessions', {
    schema: {
      tags,
      operationId: 'endJupyterSessions',
      summary: 'End all kernel sessions',
      response: { 200: envelopeOf(Deleted), ...ERRORS },
    },
    handler: async () => {
      const ids = service.listSessions('kernel').map(({ sessionId }) => sessionId);
      await Promise.all(ids.map((id) => service.deleteSession(id, 'kernel')));
      return ok(null, `${counted(ids.length, 'session')} ended`);
    },
  });

  app.delete('/jupyter/sessions/:session_id', {
    schema: {
      tags,
      operationId: 'endJupyterSession',
      summary: 'End a kernel session',
      params: Params,
      response: { 200: envelopeOf(Deleted), ...ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      if (await service.deleteSession(session_id, 'kernel')) return ok(null, 'the session was ended');
      throw new SandboxError('not_found', `no kernel session with id ${session_id}`);
    },
  });
}

function kernelOf(name: string | undefined): { language: string; kernelName: string } {
  return { language: 'python', kernelName: name || 'python3' };
}

function resultOf(report: CellReport): z.infer<typeof JupyterResult> {
  return {
    kernel_name: report.variant,
    session_id: report.sessionId,
    status: report.status === 'lost' ? 'error' : report.status,
    execution_count: report.executionCount,
    outputs: report.outputs.map(outputV1),
    code: report.code,
    msg_id: report.executionId,
    warnings: [...report.warnings],
  };
}
