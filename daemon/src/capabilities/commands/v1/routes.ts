import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { installHint } from '../../../core/environment/refused-install.ts';
import { decode } from '../../../core/output/text-slice.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import { nameExecDir } from '../../../http/v1/error-handlers.ts';
import type { CommandService } from '../command-service.ts';
import { stdinHint } from '../run/command-stdin.ts';
import { commandAnswer, sentTo, sessionInfo, summaryOf } from '../wire/wire.ts';
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
import { continueHintV1, excerptBytes, execResult, infoV1 } from './wire.ts';

const tags = ['bash'];
const Done = envelopeOf(z.null());

/** The routes of 1.x: every call names a session, which `exec` creates if none exists. */
export function commandsV1(app: App, service: CommandService): void {
  nameExecDir(app);
  app.post('/bash/exec', {
    schema: {
      tags,
      operationId: 'execBash',
      summary: 'Run a command in a session',
      body: ExecBody,
      response: { 200: envelopeOf(ExecResult), ...V1_ERRORS, 429: ErrorBody },
    },
    handler: async ({ body }, reply) => {
      const request = {
        command: body.command,
        shell: 'auto',
        cwd: body.exec_dir,
        env: body.env,
        sessionId: body.session_id,
        makeSession: true,
        moveSession: true,
        ownEnv: true,
        openStdin: body.async_mode,
        wait: body.async_mode ? 0 : body.timeout,
        hardTimeout: body.hard_timeout,
      };
      const characters = body.async_mode ? 0 : body.max_output_length;
      const report = await service.run(request, excerptBytes(characters), clientGone(reply));
      return commandAnswer(report, (each) => {
        const data = execResult(each, characters);
        const hint = body.async_mode ? null : (continueHintV1(data) ?? installHint(each.excerpt.output));
        return { ...ok(data, summaryOf(each.record)), hint };
      });
    },
  });

  app.post('/bash/output', {
    schema: {
      tags,
      operationId: 'readBashOutput',
      summary: 'Read the output of a command from offsets on',
      body: OutputBody,
      response: { 200: envelopeOf(OutputResult), ...V1_ERRORS },
    },
    handler: async ({ body: { session_id, command_id, offset, stderr_offset, wait, wait_timeout } }, reply) => {
      const newest = service.newestOf(session_id, command_id);
      if (!newest) {
        return ok({ session_id, stdout: '', stderr: '', offset: 0, stderr_offset: 0, command: null }, 'no command yet');
      }
      const request = {
        from: { stdout: offset, stderr: stderr_offset },
        limit: Number.POSITIVE_INFINITY,
        asText: true,
        waitMs: wait ? wait_timeout * 1000 : 0,
      };
      const { record, stdout, stderr } = await service.read(newest.id, request, clientGone(reply));
      const data = {
        session_id,
        stdout: decode(stdout.bytes),
        stderr: decode(stderr.bytes),
        offset: stdout.next,
        stderr_offset: stderr.next,
        command: infoV1(record),
      };
      const at = { ...data, ...data.command };
      const hint = (wait ? continueHintV1(at) : null) ?? installHint(data.stdout + data.stderr);
      return { ...ok(data, summaryOf(record)), hint };
    },
  });

  app.post('/bash/write', {
    schema: {
      tags,
      operationId: 'writeBashStdin',
      summary: 'Write to the stdin of a command',
      body: WriteBody,
      response: { 200: Done, ...V1_ERRORS, 409: ErrorBody, 429: ErrorBody },
    },
    handler: async ({ body: { session_id, command_id, input } }) => {
      const { id } = service.requireNewestOf(session_id, command_id);
      const bytes = Buffer.from(input);
      const written = await service.offerStdin(id, bytes, { eof: false });
      return { ...ok(null, `${written.bytes} bytes written`), hint: stdinHint(written, bytes.length) };
    },
  });

  app.post('/bash/kill', {
    schema: {
      tags,
      operationId: 'killBashCommand',
      summary: 'Signal a command',
      body: KillBodyV1,
      response: { 200: Done, ...V1_ERRORS },
    },
    handler: async ({ body: { session_id, command_id, signal } }) => {
      const { id } = service.requireNewestOf(session_id, command_id);
      const { processes } = await service.kill(id, signal);
      return ok(null, sentTo(signal, processes));
    },
  });

  sessionRoutes(app, service);
}

function sessionRoutes(app: App, service: CommandService): void {
  const { sessions } = service;
  app.get('/bash/sessions', {
    schema: {
      tags,
      operationId: 'listBashSessions',
      summary: 'List sessions',
      response: { 200: envelopeOf(z.array(SessionInfoV1)), ...V1_ERRORS },
    },
    handler: async () => {
      const data = sessions.list().map(sessionInfo);
      return ok(data, counted(data.length, 'session'));
    },
  });

  app.post('/bash/sessions/create', {
    links: linksTo({ session_id: '/data/session_id' }, ['closeBashSession']),
    schema: {
      tags,
      operationId: 'createBashSession',
      summary: 'Create a session, or give the one of that id',
      body: CreateBody,
      response: { 200: envelopeOf(SessionInfoV1), ...V1_ERRORS, 429: ErrorBody },
    },
    handler: async ({ body: { session_id: id, exec_dir: cwd, snapshot_path } }, reply) => {
      const session =
        snapshot_path === undefined
          ? sessions.ensure({ id, cwd })
          : await service.ensureSession({ id, cwd }, snapshot_path, clientGone(reply));
      const data = sessionInfo(session);
      return ok(data, `session ${data.session_id}`);
    },
  });

  app.post('/bash/sessions/:session_id/close', {
    schema: {
      tags,
      operationId: 'closeBashSession',
      summary: 'Close a session and end all processes of its commands',
      params: z.object({ session_id: z.string().meta({ examples: ['build'] }) }),
      response: { 200: Done, ...V1_ERRORS },
    },
    handler: async ({ params: { session_id } }) => {
      await sessions.close(session_id);
      return ok(null, `session ${session_id} is closed`);
    },
  });
}
