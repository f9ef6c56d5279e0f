import { z } from 'zod';
import { SandboxError } from '../../../core/errors.ts';
import { decode } from '../../../core/output/text-slice.ts';
import type { App } from '../../../http/app-types.ts';
import { ErrorBody, envelopeOf, ok } from '../../../http/envelope.ts';
import { clientGone } from '../../../http/streams/client-gone.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import { nameExecDir } from '../../../http/v1/error-handlers.ts';
import type { CommandService } from '../command-service.ts';
import { excerptOf } from '../output/excerpt.ts';
import { readOutput } from '../output/read-output.ts';
import type { Command } from '../run/command.ts';
import { sentTo, sessionInfo, summaryOf } from '../wire/wire.ts';
import {
  CreateBody,
  ExecBody,
  ExecResult,
  KillBodyV1,
  OutputBody,
  OutputResult,
  SessionInfoV1,
  WriteBody,
} from './schemas.ts';
import { execResult, infoV1 } from './wire.ts';

const tags = ['bash'];
const Done = envelopeOf(z.null());

/** The routes of 1.x: every call is keyed by a session, which is made where there is none. */
export function commandsV1(app: App, service: CommandService): void {
  nameExecDir(app);
  app.post('/bash/exec', {
    schema: {
      tags,
      summary: 'Run a command in a session',
      body: ExecBody,
      response: { 200: envelopeOf(ExecResult), ...V1_ERRORS, 429: ErrorBody },
    },
    handler: async ({ body }, reply) => {
      const gone = clientGone(reply);
      const request = {
        command: body.command,
        shell: 'auto',
        cwd: body.exec_dir,
        env: body.env,
        sessionId: body.session_id,
        makeSession: true,
        moveSession: true,
        openStdin: body.async_mode,
        wait: body.async_mode ? 0 : body.timeout,
        hardTimeout: body.hard_timeout,
      };
      const command = await service.run(request, gone);
      return ok(execResult(command, await excerptOf(command.output, body.max_output_length)), summaryOf(command));
    },
  });

  app.post('/bash/output', {
    schema: {
      tags,
      summary: 'Read the output of a command from offsets on',
      body: OutputBody,
      response: { 200: envelopeOf(OutputResult), ...V1_ERRORS },
    },
    handler: async ({ body: { session_id, command_id, offset, stderr_offset, wait, wait_timeout } }, reply) => {
      const command = newest(service, session_id, command_id);
      if (!command) {
        return ok({ session_id, stdout: '', stderr: '', offset: 0, stderr_offset: 0, command: null }, 'no command yet');
      }
      const { stdout, stderr } = await readOutput(
        command,
        {
          from: { stdout: offset, stderr: stderr_offset },
          limit: Number.POSITIVE_INFINITY,
          asText: true,
          waitMs: wait ? wait_timeout * 1000 : 0,
        },
        clientGone(reply),
      );
      const data = {
        session_id,
        stdout: decode(stdout.bytes),
        stderr: decode(stderr.bytes),
        offset: stdout.next,
        stderr_offset: stderr.next,
        command: infoV1(command),
      };
      return ok(data, summaryOf(command));
    },
  });

  app.post('/bash/write', {
    schema: {
      tags,
      summary: 'Write to the stdin of a command',
      body: WriteBody,
      response: { 200: Done, ...V1_ERRORS, 409: ErrorBody },
    },
    handler: async ({ body: { session_id, command_id, input } }, reply) => {
      await service.writeStdin(required(service, session_id, command_id), Buffer.from(input), clientGone(reply));
      return ok(null, `${Buffer.byteLength(input)} bytes written`);
    },
  });

  app.post('/bash/kill', {
    schema: { tags, summary: 'Signal a command', body: KillBodyV1, response: { 200: Done, ...V1_ERRORS } },
    handler: async ({ body: { session_id, command_id, signal } }) => {
      const processes = await service.kill(required(service, session_id, command_id), signal);
      return ok(null, sentTo(signal, processes));
    },
  });

  sessionRoutes(app, service);
}

function sessionRoutes(app: App, service: CommandService): void {
  app.get('/bash/sessions', {
    schema: { tags, summary: 'List sessions', response: { 200: envelopeOf(z.array(SessionInfoV1)), ...V1_ERRORS } },
    handler: async () => {
      const sessions = service.sessions().map((session) => sessionInfo(service, session));
      return ok(sessions, `${sessions.length} sessions`);
    },
  });

  app.post('/bash/sessions/create', {
    schema: {
      tags,
      summary: 'Create a session, or give the one of that id',
      body: CreateBody,
      response: { 200: envelopeOf(SessionInfoV1), ...V1_ERRORS, 429: ErrorBody },
    },
    handler: async ({ body: { session_id, exec_dir } }) => {
      const found = session_id === undefined ? undefined : service.findSession(session_id);
      if (found && exec_dir !== undefined) service.moveSession(found, exec_dir);
      const session = found ?? service.createSession({ id: session_id, cwd: exec_dir });
      return ok(sessionInfo(service, session), `session ${session.id}`);
    },
  });

  app.post('/bash/sessions/:session_id/close', {
    schema: {
      tags,
      summary: 'Close a session and end all processes of its commands',
      params: z.object({ session_id: z.string() }),
      response: { 200: Done, ...V1_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      await service.closeSession(session_id);
      return ok(null, `session ${session_id} is closed`);
    },
  });
}

/** The command that is named, else the newest of the session; undefined where the session has none. */
function newest(service: CommandService, sessionId: string, commandId: string | undefined): Command | undefined {
  service.session(sessionId);
  if (commandId === undefined) return service.commandsOf(sessionId).at(-1);
  const command = service.get(commandId);
  if (command.record.sessionId === sessionId) return command;
  throw new SandboxError('not_found', `session ${sessionId} has no command with id ${commandId}`);
}

function required(service: CommandService, sessionId: string, commandId: string | undefined): Command {
  const command = newest(service, sessionId, commandId);
  if (command) return command;
  throw new SandboxError('not_found', `session ${sessionId} has run no command`);
}
