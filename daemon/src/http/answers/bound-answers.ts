import type { App } from '@sandbox/api/http/app-types.ts';
import { jsonText } from '@sandbox/program/json-text.ts';
import type { FastifyReply } from 'fastify';
import type { AnswerBudget } from '../../core/answers/answer-budget.ts';
import { AnswerHold, withinHold } from '../../core/answers/answer-hold.ts';
import { pacedAnswer } from './paced-answer.ts';

/** Bytes from which an answer counts. */
const COUNTED_BYTES = 64 * 1024;
/** Milliseconds in which a client has to read something of an answer that is held in memory. */
const UNREAD_MS = 30_000;

/** Bytes that exist once for all clients. */
const shared = new WeakSet<Uint8Array>();

/** An answer of these bytes holds no memory of its own. */
export function shareBytes(bytes: Uint8Array): void {
  shared.add(bytes);
}

/** Bounds the memory of answers that are not streams, and cuts clients that do not read them. */
export function boundAnswers(app: App, budget: AnswerBudget, { unreadMs = UNREAD_MS } = {}): { readonly cut: number } {
  const holds = new WeakMap<FastifyReply, AnswerHold>();
  const totals = { cut: 0 };
  // After the body: the events of its socket would lose what runs around them.
  app.addHook('preHandler', (_request, reply, done) => {
    const hold = new AnswerHold(budget, reply.raw);
    holds.set(reply, hold);
    withinHold(hold, done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = lengthOf(payload);
    if (bytes < COUNTED_BYTES || request.method === 'HEAD') {
      holds.get(reply)?.settle(0);
      done(null, payload);
      return;
    }
    const hold = holds.get(reply) ?? new AnswerHold(budget, reply.raw);
    try {
      if (!isShared(payload)) hold.settle(bytes);
      hold.instead = undefined;
    } catch (error) {
      if (hold.instead) {
        const { instead } = hold;
        hold.instead = undefined;
        hold.settle(0);
        done(null, jsonText(instead()));
        return;
      }
      // A route may have set a serializer for its own answer alone.
      void reply.serializer(jsonText);
      done(error as Error);
      return;
    }
    void reply.header('content-length', bytes);
    const deadline = setTimeout(() => {
      totals.cut += 1;
      reply.log.warn({ reqId: request.id, bytes }, 'a client that reads nothing of its answer is cut');
      reply.raw.destroy();
    }, unreadMs);
    reply.raw.once('close', () => clearTimeout(deadline));
    if (reply.raw.destroyed) clearTimeout(deadline);
    const whole = typeof payload === 'string' ? Buffer.from(payload) : (payload as Uint8Array);
    done(
      null,
      pacedAnswer(whole, () => deadline.refresh()),
    );
  });
  return totals;
}

/** Bytes of a payload that is no stream. */
function lengthOf(payload: unknown): number {
  if (typeof payload === 'string') return payload.length < COUNTED_BYTES / 3 ? 0 : Buffer.byteLength(payload);
  return payload instanceof Uint8Array ? payload.length : 0;
}

function isShared(payload: unknown): boolean {
  return payload instanceof Uint8Array && shared.has(payload);
}
