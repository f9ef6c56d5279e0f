import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { refuseUnknownRoutes } from '@sandbox/api/http/error-handler.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { linksTo } from '../../../http/openapi/links.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import { answerByStatus } from '../../../http/v1/error-handlers.ts';
import type { CodeService } from '../code-service.ts';
import { cellAnswer } from '../wire/cell-answer.ts';
import { summaryOf, timeoutHint } from '../wire/wire.ts';
import {
  CreateNodeBody,
  NodeCreated,
  NodeExecuteBody,
  NodeInfo,
  NodeResult,
  NodeSession,
  VersionQuery,
} from './nodejs-schemas.ts';
import { nodeInfo, nodeResult, nodeSession } from './nodejs-wire.ts';

const tags = ['nodejs'];
const ERRORS = { ...V1_ERRORS, 409: ErrorBody, 429: ErrorBody, 503: ErrorBody };
const Params = z.object({ session_id: z.string().meta({ examples: ['analysis'] }) });
const REMOVED = { schema: { hide: true }, config: { isRemoved: true } };

/** JavaScript in the layout of 1.x. */
export function nodejsV1(app: App, service: CodeService): void {
  app.setErrorHandler(answerByStatus);
  app.post('/nodejs/execute', {
    schema: {
      tags,
      operationId: 'executeNodejs',
      summary: 'Run JavaScript as a script, or in a session',
      body: NodeExecuteBody,
      response: { 200: envelopeOf(NodeResult), ...ERRORS },
    },
    handler: async ({ body: { code, timeout, files, stateful, session_id, cwd, version } }, reply) => {
      const sessionId = session_id || undefined;
      const keeps = stateful || sessionId !== undefined;
      const request = {
        language: 'javascript',
        code,
        version,
        timeoutSeconds: timeout,
        sessionId,
        stateful: keeps,
        files,
        cwd,
        ownDirectory: !keeps && cwd === undefined,
      };
      const report = await service.execute(request, clientGone(reply));
      return cellAnswer(report, (each) => ({ ...ok(nodeResult(each), summaryOf(each)), hint: timeoutHint(each) }));
    },
  });

  app.get('/nodejs/info', {
    schema: {
      tags,
      operationId: 'getNodejsInfo',
      summary: 'The Node that runs JavaScript, and its packages',
      response: { 200: envelopeOf(NodeInfo), ...V1_ERRORS },
    },
    handler: async () => {
      const found = (await service.languages()).find(({ language }) => language === 'javascript');
      return ok(nodeInfo(found), found?.description ?? 'Node.js not found');
    },
  });

  sessionRoutes(app, service);
}

function sessionRoutes(app: App, service: CodeService): void {
  app.post('/nodejs/sessions', {
    links: linksTo({ session_id: '/data/session_id' }, ['getNodejsSession', 'endNodejsSession']),
    schema: {
      tags,
      operationId: 'createNodejsSession',
      summary: 'Make a session; the id of an existing one gives that one',
      querystring: VersionQuery,
      body: CreateNodeBody,
      response: { 200: envelopeOf(NodeCreated), ...ERRORS },
    },
    handler: async ({ query: { version }, body: { session_id, cwd, max_idle_time } }) => {
      const sessionId = session_id || undefined;
      const { session, created } = await service.createSession({
        language: 'javascript',
        version,
        sessionId,
        cwd,
        idleSeconds: max_idle_time,
      });
      const message = created ? 'the session was made' : 'the session was there already';
      return ok({ session_id: session.sessionId, created, message, session: nodeSession(session) }, message);
    },
  });

  app.get('/nodejs/sessions', {
    schema: {
      tags,
      operationId: 'listNodejsSessions',
      summary: 'The sessions by id',
      querystring: VersionQuery,
      response: { 200: envelopeOf(z.object({ sessions: z.record(z.string(), NodeSession) })), ...V1_ERRORS },
    },
    handler: async () => {
      const sessions = service.listSessions('node').map((info) => [info.sessionId, nodeSession(info)] as const);
      return ok({ sessions: Object.fromEntries(sessions) }, counted(sessions.length, 'session'));
    },
  });

  app.get('/nodejs/sessions/:session_id', {
    schema: {
      tags,
      operationId: 'getNodejsSession',
      summary: 'One session',
      params: Params,
      querystring: VersionQuery,
      response: { 200: envelopeOf(z.object({ session: NodeSession })), ...V1_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      const session = nodeSession(service.getSession(session_id, 'node'));
      return ok({ session }, `the session is ${session.state}`);
    },
  });

  app.delete('/nodejs/sessions/:session_id', {
    schema: {
      tags,
      operationId: 'endNodejsSession',
      summary: 'End a session',
      params: Params,
      querystring: VersionQuery,
      response: { 200: envelopeOf(z.object({ deleted: z.boolean() })), ...V1_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      if (await service.deleteSession(session_id, 'node')) return ok({ deleted: true }, 'the session was ended');
      throw new SandboxError('not_found', `no JavaScript session with id ${session_id}`);
    },
  });

  // Clients of 1.x still send it: a removed route is unknown whatever the method.
  const hint = 'end the session and create another: DELETE /v1/nodejs/sessions/{session_id}, POST /v1/nodejs/sessions';
  const refuse = refuseUnknownRoutes(hint);
  app.patch('/nodejs/sessions/:session_id', REMOVED, (request, reply) => refuse(request, reply));
}
