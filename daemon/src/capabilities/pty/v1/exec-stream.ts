import type { Envelope } from '@sandbox/api/http/envelope.ts';
import type { FastifyReply } from 'fastify';
import { type ServerSentEvent, sendEvents } from '../../../http/streams/sse.ts';
import type { ExecRun } from '../exec/exec-run.ts';
import { followRun } from './follow-run.ts';

export function wantsEvents(accept: string | undefined): boolean {
  return accept?.includes('text/event-stream') ?? false;
}

/**
 * Server-sent events: `output` with pieces of the command's output as it is written, then one `result` with the answer
 * of the call without the stream.
 */
export function sendExec(
  reply: FastifyReply,
  run: ExecRun | undefined,
  result: Promise<Envelope<unknown>>,
): Promise<FastifyReply> {
  const answered = new AbortController();
  const stopRunning = (): void => {
    if (run?.status === 'running') answered.abort();
  };
  void result.then(stopRunning, stopRunning);
  return sendEvents(reply, (gone) => events(run, result, AbortSignal.any([gone, answered.signal])));
}

async function* events(
  run: ExecRun | undefined,
  result: Promise<Envelope<unknown>>,
  stop: AbortSignal,
): AsyncIterable<readonly ServerSentEvent[]> {
  if (run !== undefined) {
    for await (const output of followRun(run, stop)) yield [{ event: 'output', data: { output } }];
  }
  yield [{ event: 'result', data: await result }];
}
