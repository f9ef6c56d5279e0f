import type { App } from '@sandbox/api/http/app-types.ts';
import type { FastifyRequest } from 'fastify';
import type { Actor, EventData, EventKind } from '../../core/recorder/event.ts';
import type { Recorder } from '../../core/recorder/recorder.ts';
import { credentialOf } from '../access/guard.ts';
import { sourceOf } from '../access/request-source.ts';

/** Fields that say what was done, and hold no text that a person would type. */
const FIELDS = [
  ...['action_type', 'action', 'tab_id', 'ref', 'selector', 'x', 'y', 'x_offset', 'y_offset', 'dx', 'dy', 'button'],
  ...['history', 'for', 'method', 'policy', 'accept', 'width', 'height', 'save_path', 'target', 'format'],
];
/** Answers to requests that did nothing. */
const UNDONE: ReadonlySet<number> = new Set([401, 403, 422]);

interface Recorded {
  readonly kind: EventKind;
  /** Routes that only look; other methods at their paths do more. */
  readonly looks: ReadonlySet<string>;
}

/** Reports the requests of the routes that are registered after this in the same scope, when they are answered. */
export function recordRequests(app: App, recorder: Recorder, { kind, looks }: Recorded): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const isLook = (method === 'GET' || method === 'HEAD') && looks.has(routeOptions.url ?? '');
    if (recorder.isOn && !isLook && !UNDONE.has(reply.statusCode)) {
      const data = { ...dataOf(request), status: reply.statusCode, durationMs: Math.round(reply.elapsedTime) };
      recorder.noteBy(actorOf(request), kind, {}, data);
    }
    done();
  });
}

function actorOf(request: FastifyRequest): Actor {
  return { key: credentialOf(request).name ?? null, ...sourceOf(request) };
}

/** The last names of the route, and the fields of the request that may be kept. */
function dataOf({ method, routeOptions: { url = '' }, params, query, body }: FastifyRequest): EventData {
  const given = { ...Object(params), ...Object(query), ...objectOf(body) } as Record<string, unknown>;
  const kept = Object.fromEntries(FIELDS.flatMap((name) => (isPlain(given[name]) ? [[name, given[name]]] : [])));
  const address = given['url'];
  const batch = given['actions'];
  return {
    request: `${method} ${url.split('/').slice(3).join('/')}`,
    ...kept,
    ...(typeof address === 'string' && { url: withoutSecrets(address) }),
    ...(Array.isArray(batch) && { actions: batch.length }),
  };
}

function objectOf(body: unknown): object {
  return typeof body === 'object' && body !== null && !ArrayBuffer.isView(body) ? body : {};
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A query, a fragment and the name of an account in an address may be a credential. */
function withoutSecrets(address: string): string {
  try {
    const { protocol, host, pathname } = new URL(address);
    return host === '' ? protocol : `${protocol}//${host}${pathname}`;
  } catch {
    return address.split(/[?#]/, 1)[0]?.split('@').at(-1) ?? '';
  }
}
