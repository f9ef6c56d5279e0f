import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { oneValue } from '@sandbox/api/http/fields/one-value.ts';
import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { installHint } from '../../../core/environment/refused-install.ts';
import { SessionId } from '../../../http/fields.ts';
import { linksTo } from '../../../http/openapi/links.ts';
import { sendStream } from '../../../http/streams/send-stream.ts';
import type { CommandService, RunRequest } from '../command-service.ts';
import { COMMAND_STATUSES, type CommandStatus } from '../run/command.ts';
import { CommandEvent } from '../wire/events.ts';
import { CommandInfo, CommandOutput, CommandResult, Killed, OutputQuery, RunBody, Signal } from '../wire/schemas.ts';
import { commandAnswer, commandInfo, commandResult, listedCommand, sentTo, summaryOf } from '../wire/wire.ts';
import { attachRouteV2 } from './attach-route.ts';
import { type StreamFormat, sendOutput, sendRun, streamFormat } from './output-stream.ts';
import { sessionRoutesV2 } from './session-routes.ts';
import { stdinRouteV2 } from './stdin-route.ts';

const tags = ['commands'];
const CommandId = z.object({ command_id: z.string().meta({ examples: ['7d0e3c2a-5b1f-4c8e-9a55-0f6d2b9c1e47'] }) });
const KillBody = z.object({ signal: Signal }).meta({ id: 'KillCommand', example: { signal: 'SIGTERM' } });
const ListQuery = z.object({
  status: z.enum(COMMAND_STATUSES).optional(),
  session: SessionId.optional(),
  limit: queryNumber(z.int().min(1).max(10_000)).prefault(100),
});

export function commandsV2(app: App, service: CommandService): void {
  app.post('/commands', {
    links: linksTo({ command_id: '/data/command_id' }, [
      'readCommand',
      'killCommand',
      'writeCommandStdin',
      'attachCommand',
    ]),
    config: { events: CommandEvent },
    schema: {
      tags,
      operationId: 'runCommand',
      summary: 'Run a command',
      description:
        `The header Accept chooses the answer. With application/x-ndjson or text/event-stream in it, the one that it names
first, the answer is a stream: a line of type started with the command_id, output as of the stream of readCommand, and
exit. With neither, or without the header, it is one JSON answer. timeout and max_output_length do not apply to a
stream, and mode async only opens stdin. The command continues when the client leaves.`.replaceAll('\n', ' '),
      produces: ['application/json', 'application/x-ndjson', 'text/event-stream'],
      body: RunBody,
      response: { 200: envelopeOf(CommandResult), ...V2_ERRORS, 409: ErrorBody, 429: ErrorBody },
    },
    handler: async ({ body, headers: { accept } }, reply) => {
      const format = streamFormat(accept);
      if (format)
        return sendRun(reply, format, await service.runFollowed(runRequest(body, service), clientGone(reply)));
      const report = await service.run(runRequest(body, service), body.max_output_length, clientGone(reply));
      return commandAnswer(report, (each) => {
        const data = commandResult(each);
        const message = summaryOf(each.record);
        if (data.status === 'failed') return { ...ok(data, message), success: false };
        return {
          ...ok(data, message),
          hint: body.mode === 'async' ? null : (continueHint(data) ?? installHint(data.output)),
        };
      });
    },
  });

  app.get('/commands', {
    schema: {
      tags,
      operationId: 'listCommands',
      summary: 'List commands, newest first',
      querystring: ListQuery,
      response: { 200: envelopeOf(z.object({ commands: z.array(CommandInfo) })), ...V2_ERRORS },
    },
    handler: async ({ query: { status, session, limit } }) => {
      const commands = service.list({ status, sessionId: session, limit }).map(listedCommand);
      return ok({ commands }, counted(commands.length, 'command'));
    },
  });

  app.get('/commands/:command_id', {
    config: { events: CommandEvent },
    schema: {
      tags,
      operationId: 'readCommand',
      summary: 'Output of a command by offset, as a stream or raw',
      description:
        `The header Accept chooses the answer: with application/x-ndjson or text/event-stream, the one that it names first,
a stream until the end; with application/octet-stream raw bytes; with none of them, or without the header, one JSON
answer. The field stream wins over the header.`.replaceAll('\n', ' '),
      produces: ['application/json', 'application/x-ndjson', 'text/event-stream', 'application/octet-stream'],
      params: CommandId,
      querystring: OutputQuery,
      response: { 200: envelopeOf(CommandOutput), ...V2_ERRORS },
    },
    handler: async ({ params: { command_id }, query, headers: { accept = '' } }, reply) => {
      const format = query.stream ? 'ndjson' : streamFormat(accept);
      if (format) return streamOutput(service, command_id, query, { reply, format });
      if (accept.includes('application/octet-stream')) return sendRaw(service, command_id, query, reply);
      return answerOutput(service, command_id, query, reply);
    },
  });

  app.post('/commands/:command_id/kill', {
    schema: {
      tags,
      operationId: 'killCommand',
      summary: 'Signal all processes of a command',
      description: 'Also those that it left behind.',
      params: CommandId,
      body: KillBody,
      response: { 200: envelopeOf(Killed), ...V2_ERRORS },
    },
    handler: async ({ params: { command_id }, body: { signal } }) => {
      const { processes, status } = await service.kill(command_id, signal);
      return ok({ command_id, signal, processes, status }, sentTo(signal, processes));
    },
  });

  stdinRouteV2(app, service);
  attachRouteV2(app, service);
  sessionRoutesV2(app, service.sessions);
}

function runRequest(body: z.infer<typeof RunBody>, { sessions }: CommandService): RunRequest {
  const isAsync = body.mode === 'async';
  const sessionId = oneValue({ session: body.session, session_id: body.session_id });
  return {
    command: body.command,
    args: body.args,
    shell: body.shell,
    cwd: sessions.resolve({ cwd: body.cwd, id: sessionId, user: body.user }),
    env: body.env,
    user: body.user,
    sessionId,
    openStdin: isAsync && body.stdin === undefined,
    input: body.stdin,
    wait: isAsync ? 0 : body.timeout,
    hardTimeout: body.hard_timeout,
    idempotencyKey: body.idempotency_key,
  };
}

/** How a caller continues with a command that has not ended; null: it has. */
function continueHint(at: {
  readonly command_id: string;
  readonly status: CommandStatus;
  readonly offset: number;
  readonly stderr_offset: number;
}): string | null {
  if (at.status !== 'running' && at.status !== 'pending') return null;
  const url = `/v2/commands/${at.command_id}?offset=${at.offset}&stderr_offset=${at.stderr_offset}`;
  return `it runs on: GET ${url}&wait=true for the next output, or with Accept: application/x-ndjson until its end`;
}

type Query = z.infer<typeof OutputQuery>;

function streamOutput(
  service: CommandService,
  id: string,
  { offset, stderr_offset, encoding }: Query,
  { reply, format }: { readonly reply: FastifyReply; readonly format: StreamFormat },
): Promise<FastifyReply> {
  const from = { stdout: offset, stderr: stderr_offset };
  return sendOutput(reply, format, encoding, (gone) => service.follow(id, from, gone));
}

function sendRaw(
  service: CommandService,
  id: string,
  { channel, offset, stderr_offset, limit }: Query,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const request = { stream: channel, offset: channel === 'stdout' ? offset : stderr_offset, limit };
  const { first, next, bytes } = service.raw(id, request);
  void reply.headers({ 'x-first-offset': first, 'x-next-offset': next, 'content-length': next - first });
  return sendStream(reply, 'application/octet-stream', () => bytes);
}

async function answerOutput(service: CommandService, id: string, query: Query, reply: FastifyReply) {
  const { offset, stderr_offset, limit = Number.POSITIVE_INFINITY, wait, wait_timeout, encoding } = query;
  const request = {
    from: { stdout: offset, stderr: stderr_offset },
    limit,
    asText: encoding === 'utf-8',
    waitMs: wait ? wait_timeout * 1000 : 0,
  };
  const { record, stdout, stderr } = await service.read(id, request, clientGone(reply));
  const data = {
    stdout: stdout.bytes.toString(encoding),
    stderr: stderr.bytes.toString(encoding),
    offset: stdout.next,
    stderr_offset: stderr.next,
    first_offset: stdout.first,
    first_stderr_offset: stderr.first,
    command: commandInfo(record),
  };
  const hint = continueHint({ ...data.command, offset: stdout.next, stderr_offset: stderr.next });
  return { ...ok(data, summaryOf(record)), hint: (wait ? hint : null) ?? installHint(data.stdout + data.stderr) };
}
