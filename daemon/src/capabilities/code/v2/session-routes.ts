import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { oneValue } from '@sandbox/api/http/fields/one-value.ts';
import { located } from '@sandbox/api/http/validation.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { linksTo } from '../../../http/openapi/links.ts';
import type { CodeService } from '../code-service.ts';
import { CodeSession, CreateCodeSession } from '../wire/schemas.ts';
import { codeSession } from '../wire/wire.ts';

const tags = ['code'];
const SessionParams = z.object({ session_id: z.string().meta({ examples: ['analysis'] }) });
const BUSY = { ...V2_ERRORS, 409: ErrorBody, 429: ErrorBody, 503: ErrorBody };

export function sessionRoutesV2(app: App, service: CodeService): void {
  app.get('/code/sessions', {
    schema: {
      tags,
      operationId: 'listCodeSessions',
      summary: 'List the sessions, newest first',
      response: { 200: envelopeOf(z.object({ sessions: z.array(CodeSession) })), ...V2_ERRORS },
    },
    handler: async () => {
      const sessions = service.listSessions().map(codeSession);
      return ok({ sessions }, counted(sessions.length, 'session'));
    },
  });

  app.post('/code/sessions', {
    links: linksTo({ session_id: '/data/session_id' }, [
      'getCodeSession',
      'interruptCodeSession',
      'restartCodeSession',
      'endCodeSession',
    ]),
    schema: {
      tags,
      operationId: 'createCodeSession',
      summary: 'Create a session, or get the one with the id',
      body: CreateCodeSession,
      response: { 200: envelopeOf(CodeSession.extend({ created: z.boolean() })), ...BUSY },
    },
    handler: async ({ body }) => {
      const { id, session_id, kernel_name: kernelName, max_idle_seconds: idleSeconds, ...same } = body;
      const request = {
        ...same,
        cwd: service.resolve(same),
        sessionId: oneValue({ id, session_id }),
        kernelName,
        idleSeconds,
      };
      const { session, created } = await located(service.createSession(request));
      return ok({ ...codeSession(session), created }, created ? 'the session was created' : 'the session was there');
    },
  });

  app.get('/code/sessions/:session_id', {
    schema: {
      tags,
      operationId: 'getCodeSession',
      summary: 'One session',
      params: SessionParams,
      response: { 200: envelopeOf(CodeSession), ...V2_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      const session = codeSession(service.getSession(session_id));
      return ok(session, `the session is ${session.state}`);
    },
  });

  app.delete('/code/sessions/:session_id', {
    schema: {
      tags,
      operationId: 'endCodeSession',
      summary: 'End a session with all its processes',
      params: SessionParams,
      response: { 200: envelopeOf(z.object({ session_id: z.string() })), ...V2_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      if (await service.deleteSession(session_id)) return ok({ session_id }, 'the session was ended');
      throw new SandboxError('not_found', `no code session with id ${session_id}`);
    },
  });

  app.post('/code/sessions/:session_id/interrupt', {
    schema: {
      tags,
      operationId: 'interruptCodeSession',
      summary: 'Interrupt the cell of a session',
      description: 'As Ctrl-C does.',
      params: SessionParams,
      response: { 200: envelopeOf(z.object({ session_id: z.string(), interrupted: z.boolean() })), ...V2_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      const interrupted = await service.sessions.interrupt(session_id);
      return ok({ session_id, interrupted }, interrupted ? 'the cell was interrupted' : 'no cell runs in the session');
    },
  });

  app.post('/code/sessions/:session_id/restart', {
    schema: {
      tags,
      operationId: 'restartCodeSession',
      summary: 'Restart a session: its state is lost',
      description: 'It gets a new interpreter, and a running cell is cancelled.',
      params: SessionParams,
      response: { 200: envelopeOf(CodeSession), ...BUSY },
    },
    handler: async ({ params: { session_id } }) => {
      return ok(codeSession(await service.sessions.restart(session_id)), 'the session was restarted');
    },
  });
}
