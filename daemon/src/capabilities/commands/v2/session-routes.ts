import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { oneValue } from '@sandbox/api/http/fields/one-value.ts';
import { z } from 'zod';
import { linksTo } from '../../../http/openapi/links.ts';
import type { SessionService } from '../session-service.ts';
import { Session, SessionBody } from '../wire/schemas.ts';
import { sessionInfo } from '../wire/wire.ts';

const tags = ['commands'];
const SessionParams = z.object({ session_id: z.string().meta({ examples: ['build'] }) });

export function sessionRoutesV2(app: App, sessions: SessionService): void {
  app.post('/commands/sessions', {
    links: linksTo({ session_id: '/data/session_id' }, ['getCommandSession', 'closeCommandSession']),
    schema: {
      tags,
      operationId: 'createCommandSession',
      summary: 'Create a command session',
      description: 'Defaults for the commands that name it.',
      body: SessionBody,
      response: { 200: envelopeOf(Session), ...V2_ERRORS, 409: ErrorBody, 429: ErrorBody },
    },
    handler: async ({ body: { id, session_id, cwd, env, user } }) => {
      const terms = { id: oneValue({ id, session_id }), env, user };
      const data = sessionInfo(sessions.create({ ...terms, cwd: sessions.resolve({ cwd, user }) }));
      return ok(data, `session ${data.session_id}`);
    },
  });

  app.get('/commands/sessions', {
    schema: {
      tags,
      operationId: 'listCommandSessions',
      summary: 'List command sessions',
      response: { 200: envelopeOf(z.object({ sessions: z.array(Session) })), ...V2_ERRORS },
    },
    handler: async () => {
      const all = sessions.list().map(sessionInfo);
      return ok({ sessions: all }, counted(all.length, 'session'));
    },
  });

  app.get('/commands/sessions/:session_id', {
    schema: {
      tags,
      operationId: 'getCommandSession',
      summary: 'Inspect a command session',
      params: SessionParams,
      response: { 200: envelopeOf(Session), ...V2_ERRORS },
    },
    handler: async ({ params: { session_id } }) => ok(sessionInfo(sessions.get(session_id)), `session ${session_id}`),
  });

  app.delete('/commands/sessions/:session_id', {
    schema: {
      tags,
      operationId: 'closeCommandSession',
      summary: 'Close a command session and end its commands',
      params: SessionParams,
      response: { 200: envelopeOf(Session), ...V2_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      const data = sessionInfo(await sessions.close(session_id));
      return ok({ ...data, status: 'closed' as const }, `session ${session_id} is closed`);
    },
  });
}
