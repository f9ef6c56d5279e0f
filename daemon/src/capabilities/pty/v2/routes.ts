import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { oneValue } from '@sandbox/api/http/fields/one-value.ts';
import { z } from 'zod';
import { installHint } from '../../../core/environment/refused-install.ts';
import { inputBytes } from '../../../http/files/input-bytes.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import type { PtyService } from '../pty-service.ts';
import {
  CreateBody,
  Created,
  ExecBody,
  ExecResult,
  InputBody,
  PatchBody,
  ScreenContent,
  ScreenQuery,
  SessionInfo,
  SignalBody,
  Signalled,
  Stats,
  Status,
} from '../wire/schemas.ts';
import {
  continueHint,
  execAnswer,
  execMessage,
  execResult,
  openMessage,
  sessionInfo,
  sessionsById,
  statsOf,
  withLostShell,
} from '../wire/wire.ts';
import { socketRoutesV2 } from './socket-routes.ts';

const tags = ['terminals'];
const params = z.object({ id: z.string().meta({ examples: ['work'] }) });
/** Operations on a terminal. */
const USES = [
  'getTerminal',
  'changeTerminal',
  'execInTerminal',
  'typeIntoTerminal',
  'signalTerminal',
  'readScreen',
  'attachTerminal',
  'closeTerminal',
];

export function ptyV2(app: App, service: PtyService): void {
  sessionRoutes(app, service);
  useRoutes(app, service);
  socketRoutesV2(app, service);
}

function sessionRoutes(app: App, service: PtyService): void {
  app.post('/pty/sessions', {
    links: linksTo({ id: '/data/session_id' }, USES),
    schema: {
      tags,
      operationId: 'createTerminal',
      summary: 'Open a terminal',
      body: CreateBody,
      response: { 200: envelopeOf(Created), ...V2_ERRORS, 409: ErrorBody, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ body: { id, session_id, no_change_timeout, ...terms } }) => {
      const session = await service.sessions.create({
        ...terms,
        cwd: service.sessions.resolve(terms),
        id: oneValue({ id, session_id }),
        noChangeTimeout: no_change_timeout,
      });
      return ok({ session_id: session.id, working_dir: session.record.workingDir }, openMessage(session));
    },
  });

  app.get('/pty/sessions', {
    schema: {
      tags,
      operationId: 'listTerminals',
      summary: 'List terminals',
      response: {
        200: envelopeOf(z.object({ sessions: z.record(z.string(), SessionInfo), stats: Stats })),
        ...V2_ERRORS,
      },
    },
    handler: async () => {
      const sessions = sessionsById(service);
      return ok({ sessions, stats: statsOf(service.stats()) }, counted(Object.keys(sessions).length, 'session'));
    },
  });

  app.get('/pty/sessions/:id', {
    schema: {
      tags,
      operationId: 'getTerminal',
      summary: 'One terminal',
      params,
      response: { 200: envelopeOf(SessionInfo), ...V2_ERRORS },
    },
    handler: async ({ params: { id } }) => ok(sessionInfo(service.sessions.get(id)), `session ${id}`),
  });

  app.patch('/pty/sessions/:id', {
    schema: {
      tags,
      operationId: 'changeTerminal',
      summary: 'Resize a terminal',
      params,
      body: PatchBody,
      response: { 200: envelopeOf(SessionInfo), ...V2_ERRORS },
    },
    handler: async ({ params: { id }, body: { cols, rows, no_change_timeout } }) => {
      const session = service.sessions.get(id);
      session.resize({ cols: cols ?? session.record.cols, rows: rows ?? session.record.rows });
      if (no_change_timeout !== undefined) session.setNoChangeTimeout(no_change_timeout);
      return ok(sessionInfo(session), `session ${id} is changed`);
    },
  });

  app.delete('/pty/sessions/:id', {
    schema: {
      tags,
      operationId: 'closeTerminal',
      summary: 'Close a terminal and end what runs in it',
      params,
      response: { 200: envelopeOf(z.null()), ...V2_ERRORS },
    },
    handler: async ({ params: { id } }) => {
      await service.sessions.close(service.sessions.get(id));
      return ok(null, `session ${id} is closed`);
    },
  });
}

function useRoutes(app: App, service: PtyService): void {
  app.post('/pty/sessions/:id/exec', {
    schema: {
      tags,
      operationId: 'execInTerminal',
      summary: 'Run a command in the shell of a terminal',
      params,
      body: ExecBody,
      response: { 200: envelopeOf(ExecResult), ...V2_ERRORS, 409: ErrorBody },
    },
    handler: async ({ params: { id }, body }, reply) => {
      const session = service.sessions.get(id);
      const request = {
        command: body.command,
        async: body.async,
        timeout: body.timeout,
        hardTimeout: body.hard_timeout,
        noChangeTimeout: body.no_change_timeout,
      };
      const report = await service.exec(session, request, clientGone(reply));
      return execAnswer(report, (each) => {
        const hint = body.async ? null : (continueHint(each) ?? installHint(each.output));
        return { ...ok(execResult(each), execMessage(each)), hint };
      });
    },
  });

  app.post('/pty/sessions/:id/input', {
    schema: {
      tags,
      operationId: 'typeIntoTerminal',
      summary: 'Type into a terminal',
      params,
      body: InputBody,
      response: { 200: envelopeOf(Status), ...V2_ERRORS, 409: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ params: { id }, body }, reply) => {
      const session = service.sessions.get(id);
      const bytes = inputBytes(body);
      const typed = body.press_enter ? Buffer.concat([bytes, Buffer.from('\r')]) : bytes;
      await service.write(session, typed, clientGone(reply));
      return ok({ status: session.execStatus }, `${counted(bytes.length, 'byte')} typed`);
    },
  });

  app.post('/pty/sessions/:id/signal', {
    schema: {
      tags,
      operationId: 'signalTerminal',
      summary: 'Signal the foreground group of a terminal',
      params,
      body: SignalBody,
      response: { 200: envelopeOf(Signalled), ...V2_ERRORS, 409: ErrorBody },
    },
    handler: async ({ params: { id }, body: { signal } }) => {
      const { delivered, lostShell } = await service.signal(service.sessions.get(id), signal);
      const message = delivered ? `${signal} sent` : 'nothing is in the foreground';
      return ok({ session_id: id, signal, delivered }, withLostShell(message, lostShell));
    },
  });

  app.get('/pty/sessions/:id/screen', {
    schema: {
      tags,
      operationId: 'readScreen',
      summary: 'What is on the screen of a terminal',
      params,
      querystring: ScreenQuery,
      response: { 200: envelopeOf(ScreenContent), ...V2_ERRORS, 409: ErrorBody, 413: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ params: { id }, query: { wait, format } }, reply) => {
      const look = { seconds: wait, format };
      const session = service.sessions.get(id);
      const { alternateScreen, isCut: _, ...screen } = await service.screen(session, look, clientGone(reply));
      const answer = ok({ ...screen, alternate_screen: alternateScreen }, `screen of session ${id}`);
      return { ...answer, hint: hintOf(session.screen.missing) };
    },
  });
}

function hintOf(missing: number): string | null {
  if (missing === 0) return null;
  return `${missing} bytes of output were dropped before they were drawn: the screen lacks them. If the disk of the runtime directory is full, free space; then run \`clear\``;
}
