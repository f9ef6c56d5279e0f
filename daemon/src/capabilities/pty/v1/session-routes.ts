import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { publicBaseOf } from '../../../http/access/guard.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import type { PtyService } from '../pty-service.ts';
import { statsOf } from '../wire/wire.ts';
import { SessionInfoV1, StatsV1, UpdateBody } from './schemas.ts';
import { sessionInfoV1 } from './wire.ts';

const tags = ['shell'];
const Done = envelopeOf(z.null());
/** A session that was used within them counts as active. */
export const ACTIVE_SECONDS = 300;

export function sessionRoutesV1(app: App, service: PtyService): void {
  app.get('/shell/sessions', {
    schema: {
      tags,
      operationId: 'listShellSessions',
      summary: 'List shell sessions',
      response: { 200: envelopeOf(z.object({ sessions: z.record(z.string(), SessionInfoV1) })), ...V1_ERRORS },
    },
    handler: async () => {
      const open = service.list().filter((session) => session.open);
      const entries = open.map((session) => [session.id, sessionInfoV1(session)] as const);
      return ok({ sessions: Object.fromEntries(entries) }, counted(entries.length, 'session'));
    },
  });

  app.get('/shell/sessions/stats', {
    schema: {
      tags,
      operationId: 'getShellStats',
      summary: 'How many shell sessions there are',
      response: { 200: envelopeOf(StatsV1), ...V1_ERRORS },
    },
    handler: async () => ok(statsOf(service.stats(ACTIVE_SECONDS)), 'shell sessions'),
  });

  app.post('/shell/sessions/update', {
    schema: {
      tags,
      operationId: 'updateShellSession',
      summary: 'Change a shell session',
      body: UpdateBody,
      response: { 200: Done, ...V1_ERRORS },
    },
    handler: async ({ body: { id, no_change_timeout } }) => {
      const session = service.sessions.get(id);
      if (no_change_timeout !== undefined) session.setNoChangeTimeout(no_change_timeout);
      return ok(null, `session ${id} is changed`);
    },
  });

  app.delete('/shell/sessions', {
    schema: {
      tags,
      operationId: 'closeShellSessions',
      summary: 'Close every shell session',
      response: { 200: Done, ...V1_ERRORS },
    },
    handler: async () => {
      const count = await service.sessions.closeAll();
      return ok(null, `${counted(count, 'session')} closed`);
    },
  });

  app.delete('/shell/sessions/:session_id', {
    schema: {
      tags,
      operationId: 'closeShellSession',
      summary: 'Close a shell session',
      params: z.object({ session_id: z.string().meta({ examples: ['work'] }) }),
      response: { 200: Done, ...V1_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      await service.sessions.close(service.sessions.get(session_id));
      return ok(null, `session ${session_id} is closed`);
    },
  });

  app.get('/shell/terminal-url', {
    schema: {
      tags,
      operationId: 'getTerminalUrl',
      summary: 'Open a shell session and answer the address of its terminal page',
      response: { 200: envelopeOf(z.string()), ...V1_ERRORS, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async (request) => {
      const { id } = await service.sessions.create({});
      const query = [`session=${encodeURIComponent(id)}`, ...(request.raw.url?.split('?').slice(1, 2) ?? [])];
      const { secure, base } = publicBaseOf(request);
      return ok(`${secure ? 'https' : 'http'}://${base}/terminal/?${query.join('&')}`, `the page of session ${id}`);
    },
  });
}
