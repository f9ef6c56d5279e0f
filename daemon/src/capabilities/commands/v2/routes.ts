import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { decode } from '../../../core/output/text-slice.ts';
import type { App } from '../../../http/app-types.ts';
import { ErrorBody, envelopeOf, failure, ok, V2_ERRORS } from '../../../http/envelope.ts';
import { SessionId } from '../../../http/fields.ts';
import { clientGone } from '../../../http/streams/client-gone.ts';
import { sendNdjson, sendStream } from '../../../http/streams/ndjson.ts';
import type { CommandService, RunRequest } from '../command-service.ts';
import { excerptOf } from '../output/excerpt.ts';
import { rawBytes } from '../output/raw-bytes.ts';
import { readOutput } from '../output/read-output.ts';
import type { Command } from '../run/command.ts';
import { COMMAND_STATUSES } from '../run/command.ts';
import { ndjsonLines } from '../wire/ndjson-lines.ts';
import { CommandInfo, CommandOutput, CommandResult, Killed, OutputQuery, RunBody, Signal } from '../wire/schemas.ts';
import { commandInfo, commandResult, sentTo, summaryOf } from '../wire/wire.ts';
import { sessionRoutesV2 } from './session-routes.ts';
import { stdinRouteV2 } from './stdin-route.ts';

const tags = ['commands'];
const CommandId = z.object({ command_id: z.string() });
const KillBody = z.object({ signal: Signal }).meta({ id: 'KillCommand' });
const ListQuery = z.object({
  status: z.enum(COMMAND_STATUSES).optional(),
  session: SessionId.optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(100),
});

export function commandsV2(app: App, service: CommandService): void {
  app.post('/commands', {
    schema: {
      tags,
      summary: 'Run a command',
      body: RunBody,
      response: { 200: envelopeOf(CommandResult), ...V2_ERRORS, 409: ErrorBody, 429: ErrorBody },
    },
    handler: async ({ body }, reply) => {
      const command = await service.run(runRequest(body), clientGone(reply));
      const data = commandResult(command, await excerptOf(command.output, body.max_output_length));
      const message = summaryOf(command);
      return data.status === 'failed' ? { ...failure(message), data } : ok(data, message);
    },
  });

  app.get('/commands', {
    schema: {
      tags,
      summary: 'List commands, newest first',
      querystring: ListQuery,
      response: { 200: envelopeOf(z.object({ commands: z.array(CommandInfo) })), ...V2_ERRORS },
    },
    handler: async ({ query: { status, session, limit } }) => {
      const commands = service.list({ status, sessionId: session, limit }).map(commandInfo);
      return ok({ commands }, `${commands.length} commands`);
    },
  });

  app.get('/commands/:command_id', {
    schema: {
      tags,
      summary: 'Read the output of a command by offset, as NDJSON, or as raw bytes',
      description: 'Accept application/x-ndjson streams until the end; application/octet-stream answers raw bytes.',
      params: CommandId,
      querystring: OutputQuery,
      response: { 200: envelopeOf(CommandOutput), ...V2_ERRORS },
    },
    handler: async (request, reply) => {
      const command = service.get(request.params.command_id);
      const { accept = '' } = request.headers;
      if (request.query.stream || accept.includes('application/x-ndjson'))
        return streamOutput(command, request.query, reply);
      if (accept.includes('application/octet-stream')) return sendRaw(command, request.query, reply);
      return answerOutput(command, request.query, reply);
    },
  });

  app.post('/commands/:command_id/kill', {
    schema: {
      tags,
      summary: 'Signal all processes of a command, also those that it left behind',
      params: CommandId,
      body: KillBody,
      response: { 200: envelopeOf(Killed), ...V2_ERRORS },
    },
    handler: async ({ params: { command_id }, body: { signal } }) => {
      const command = service.get(command_id);
      const processes = await service.kill(command, signal);
      return ok({ command_id, signal, processes, status: command.record.status }, sentTo(signal, processes));
    },
  });

  stdinRouteV2(app, service);
  sessionRoutesV2(app, service);
}

function runRequest(body: z.infer<typeof RunBody>): RunRequest {
  const isAsync = body.mode === 'async';
  return {
    command: body.command,
    args: body.args,
    shell: body.shell,
    cwd: body.cwd,
    env: body.env,
    user: body.user,
    sessionId: body.session ?? body.session_id,
    openStdin: isAsync && body.stdin === undefined,
    input: body.stdin,
    wait: isAsync ? 0 : body.timeout,
    hardTimeout: body.hard_timeout,
    idempotencyKey: body.idempotency_key,
  };
}

type Query = z.infer<typeof OutputQuery>;

function streamOutput(
  command: Command,
  { offset, stderr_offset, encoding }: Query,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return sendNdjson(reply, (gone) => ndjsonLines(command, { stdout: offset, stderr: stderr_offset }, encoding, gone));
}

function sendRaw(
  { output }: Command,
  { channel, offset, stderr_offset, limit }: Query,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const log = output[channel];
  const { start, end } = log.contiguousFrom(channel === 'stdout' ? offset : stderr_offset);
  const to = limit === undefined ? end : Math.min(end, start + limit);
  void reply.headers({ 'x-first-offset': start, 'x-next-offset': to, 'content-length': to - start });
  return sendStream(reply, 'application/octet-stream', () => rawBytes(log, start, to));
}

async function answerOutput(command: Command, query: Query, reply: FastifyReply) {
  const { offset, stderr_offset, limit = Number.POSITIVE_INFINITY, wait, wait_timeout, encoding } = query;
  const asText = encoding === 'utf-8';
  const { stdout, stderr } = await readOutput(
    command,
    { from: { stdout: offset, stderr: stderr_offset }, limit, asText, waitMs: wait ? wait_timeout * 1000 : 0 },
    clientGone(reply),
  );
  const text = (bytes: Buffer): string => (asText ? decode(bytes) : bytes.toString('base64'));
  const data = {
    stdout: text(stdout.bytes),
    stderr: text(stderr.bytes),
    offset: stdout.next,
    stderr_offset: stderr.next,
    first_offset: stdout.first,
    first_stderr_offset: stderr.first,
    command: commandInfo(command),
  };
  return ok(data, summaryOf(command));
}
