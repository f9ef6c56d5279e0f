import { turnForLargeWork } from '../../large-work.ts';
import type { App } from '../app-types.ts';

/** UTF-16 units of text from which an answer is large: `JSON.stringify` takes about a millisecond for it. */
const LARGE = 256 * 1024;

/**
 * Serializes one large answer at a time. If many become ready together, the other requests are answered between them,
 * not after all of them.
 */
export function spreadLargeAnswers(app: App): void {
  app.addHook('preSerialization', (_request, _reply, payload, done) => {
    if (textLength(payload) < LARGE) done(null, payload);
    else void turnForLargeWork().then(() => done(null, payload));
  });
}

/** Units of the strings of the envelope's `data`, without those further inside. */
function textLength(payload: unknown): number {
  const data: unknown = isObject(payload) ? payload['data'] : undefined;
  if (!isObject(data)) return 0;
  let length = 0;
  for (const value of Object.values(data)) if (typeof value === 'string') length += value.length;
  return length;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
