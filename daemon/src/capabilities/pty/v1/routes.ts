import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { installHint } from '../../../core/environment/refused-install.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import { nameExecDir } from '../../../http/v1/error-handlers.ts';
import type { ExecRun } from '../exec/exec-run.ts';
import { type ExecReport, NO_CHANGE_SECONDS, type PtyService } from '../pty-service.ts';
import { Created } from '../wire/schemas.ts';
import { execAnswer, execMessage, openMessage, withLostShell } from '../wire/wire.ts';
import { sendExec, wantsEvents } from './exec-stream.ts';
import {
  CreateBodyV1,
  ExecBodyV1,
  ExecResultV1,
  IdBody,
  KillResult,
  StatusV1,
  ViewResult,
  WaitBody,
  WriteBody,
} from './schemas.ts';
import { sessionRoutesV1 } from './session-routes.ts';
import { socketRoutesV1 } from './socket-routes.ts';
import { continueHintV1, execResultV1, lastKillSuffix, placeOf, symlinksOf, viewResult } from './wire.ts';

const tags = ['shell'];
/** Seconds that `wait` waits by default. */
const WAIT_SECONDS = 30;
const WAIT_SECONDS_MAX = 600;
const EVENTS =
  'Accept text/event-stream streams events: output {output} with lines as they are written, then result with the answer.';

/** The routes of 1.x: one shell for each session id. */
export function ptyV1(app: App, service: PtyService): void {
  nameExecDir(app);
  execRoutes(app, service);
  controlRoutes(app, service);
  sessionRoutesV1(app, service);
  socketRoutesV1(app, service);
}

function execRoutes(app: App, service: PtyService): void {
  app.post('/shell/exec', {
    schema: {
      tags,
      operationId: 'execShell',
      summary: 'Run a command in a shell session',
      description: EVENTS,
      produces: ['application/json', 'text/event-stream'],
      body: ExecBodyV1,
      response: { 200: envelopeOf(ExecResultV1), ...V1_ERRORS, 409: ErrorBody, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ body, headers }, reply) => {
      const begun = Promise.withResolvers<ExecRun>();
      const request = {
        command: body.command,
        async: body.async_mode,
        timeout: body.timeout,
        hardTimeout: body.hard_timeout,
        noChangeTimeout: body.no_change_timeout,
        noChangeDefault: NO_CHANGE_SECONDS,
        begun: begun.resolve,
      };
      const envelope = (report: ExecReport) => ({
        ...ok(execResultV1(report, body), execMessage(report)),
        hint: body.async_mode ? null : (continueHintV1(report) ?? installHint(report.output)),
      });
      const ran = service.execIn(placeOf(body), request, clientGone(reply));
      const answer = ran.then((report) => execAnswer(report, envelope));
      if (!wantsEvents(headers.accept)) return answer;
      return sendExec(reply, await Promise.race([begun.promise, answer.then(() => undefined)]), answer);
    },
  });

  app.post('/shell/sessions/create', {
    links: linksTo({ session_id: '/data/session_id' }, ['closeShellSession']),
    schema: {
      tags,
      operationId: 'createShellSession',
      summary: 'Open a shell session',
      body: CreateBodyV1,
      response: { 200: envelopeOf(Created), ...V1_ERRORS, 429: ErrorBody, 503: ErrorBody },
    },
    handler: async ({ body: { id, exec_dir, no_change_timeout, preserve_symlinks } }) => {
      const session = await service.sessions.ensure({
        id: id || undefined,
        cwd: exec_dir,
        symlinks: exec_dir === undefined ? undefined : symlinksOf(preserve_symlinks),
        noChangeTimeout: no_change_timeout,
      });
      return ok({ session_id: session.id, working_dir: session.record.workingDir }, openMessage(session));
    },
  });
}

function controlRoutes(app: App, service: PtyService): void {
  app.post('/shell/view', {
    schema: {
      tags,
      operationId: 'viewShell',
      summary: 'What a shell session has shown',
      description: EVENTS,
      produces: ['application/json', 'text/event-stream'],
      body: IdBody,
      response: { 200: envelopeOf(ViewResult), ...V1_ERRORS },
    },
    handler: async ({ body: { id }, headers }, reply) => {
      const session = service.sessions.get(id);
      const gone = clientGone(reply);
      const answer = async () =>
        ok(viewResult(session, await service.view(session, gone)), `session ${id}${lastKillSuffix(session)}`);
      if (!wantsEvents(headers.accept)) return answer();
      const { run } = session;
      return sendExec(reply, run, waitFor(run?.done ?? Promise.resolve(), { signal: gone }).then(answer));
    },
  });

  app.post('/shell/wait', {
    schema: {
      tags,
      operationId: 'waitForShell',
      summary: 'Wait for the command of a shell session',
      body: WaitBody,
      response: { 200: envelopeOf(StatusV1), ...V1_ERRORS },
    },
    handler: async ({ body: { id, seconds, max_wait_seconds } }, reply) => {
      const session = service.sessions.get(id);
      const wait = Math.min(WAIT_SECONDS_MAX, Math.max(0, seconds ?? max_wait_seconds ?? WAIT_SECONDS));
      await service.wait(session, wait, clientGone(reply));
      return ok({ status: session.lastStatus }, `session ${id} waited for${lastKillSuffix(session)}`);
    },
  });

  app.post('/shell/write', {
    schema: {
      tags,
      operationId: 'writeToShell',
      summary: 'Type into a shell session',
      body: WriteBody,
      response: { 200: envelopeOf(StatusV1), ...V1_ERRORS, 409: ErrorBody },
    },
    handler: async ({ body: { id, input, press_enter } }, reply) => {
      const session = service.sessions.get(id);
      await service.write(session, Buffer.from(press_enter ? `${input}\r` : input), clientGone(reply));
      return ok({ status: session.lastStatus }, 'typed');
    },
  });

  app.post('/shell/kill', {
    schema: {
      tags,
      operationId: 'killShellCommand',
      summary: 'End the command of a shell session',
      body: IdBody,
      response: { 200: envelopeOf(KillResult), ...V1_ERRORS, 409: ErrorBody },
    },
    handler: async ({ body: { id } }) => {
      const { status, exitCode, lostShell } = await service.killCommand(service.sessions.get(id));
      const message = withLostShell(`command of session ${id} ${status}`, lostShell);
      return ok({ status, exit_code: exitCode, returncode: exitCode }, message);
    },
  });
}
