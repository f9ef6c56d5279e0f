import { z } from 'zod';
import type { App } from '../../../http/app-types.ts';
import { envelopeOf, ok } from '../../../http/envelope.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import type { PtyService } from '../pty-service.ts';
import { statsOf } from '../wire/wire.ts';
import { SessionInfoV1, StatsV1, UpdateBody } from './schemas.ts';
import { sessionInfoV1 } from './wire.ts';

const tags = ['shell'];
const Done = envelopeOf(z.null());

export function sessionRoutesV1(app: App, service: PtyService): void {
  app.get('/shell/sessions', {
    schema: {
      tags,
      summary: 'List shell sessions',
      response: { 200: envelopeOf(z.object({ sessions: z.record(z.string(), SessionInfoV1) })), ...V1_ERRORS },
    },
    handler: async () => {
      const entries = service.list().map((session) => [session.id, sessionInfoV1(session)] as const);
      return ok({ sessions: Object.fromEntries(entries) }, `${entries.length} sessions`);
    },
  });

  app.get('/shell/sessions/stats', {
    schema: {
      tags,
      summary: 'How many shell sessions there are',
      response: { 200: envelopeOf(StatsV1), ...V1_ERRORS },
    },
    handler: async () => ok(statsOf(service.stats()), 'shell sessions'),
  });

  app.post('/shell/sessions/update', {
    schema: { tags, summary: 'Change a shell session', body: UpdateBody, response: { 200: Done, ...V1_ERRORS } },
    handler: async ({ body: { id, no_change_timeout } }) => {
      service.sessions.get(id).setNoChangeTimeout(no_change_timeout ?? null);
      return ok(null, `session ${id} is changed`);
    },
  });

  app.delete('/shell/sessions', {
    schema: { tags, summary: 'Close every shell session', response: { 200: Done, ...V1_ERRORS } },
    handler: async () => {
      const count = await service.sessions.closeAll();
      return ok(null, `${count} sessions are closed`);
    },
  });

  app.delete('/shell/sessions/:session_id', {
    schema: {
      tags,
      summary: 'Close a shell session',
      params: z.object({ session_id: z.string() }),
      response: { 200: Done, ...V1_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      await service.sessions.close(service.sessions.get(session_id));
      return ok(null, `session ${session_id} is closed`);
    },
  });

  app.get('/shell/terminal-url', {
    schema: { tags, summary: 'Where the terminal page is', response: { 200: envelopeOf(z.string()), ...V1_ERRORS } },
    handler: async (request) => {
      const query = request.raw.url?.split('?')[1];
      const { protocol, host } = request;
      return ok(`${protocol}://${host}/terminal${query ? `?${query}` : ''}`, 'the terminal page');
    },
  });
}
