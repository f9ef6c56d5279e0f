import type { RouteOptions } from 'fastify';
import type { App } from './app-types.ts';
import { failure } from './envelope.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Notes which methods each path has; `answerOthers` then makes every other one 405 with `Allow` (RFC 9110 §15.5.6). */
export class MethodTable {
  readonly #methods = new Map<string, Set<string>>();

  note({ url, method }: Pick<RouteOptions, 'url' | 'method'>): void {
    const known = this.#methods.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name.toUpperCase());
    if (known.has('GET')) known.add('HEAD');
    this.#methods.set(url, known);
  }

  /** Must come after every route of the app. */
  answerOthers(app: App): void {
    for (const [url, known] of [...this.#methods]) {
      const method = METHODS.filter((name) => !known.has(name));
      const allow = [...known].sort().join(', ');
      app.route({
        method,
        url,
        schema: { hide: true },
        preParsing: async (request, reply) => {
          await reply
            .code(405)
            .header('allow', allow)
            .send(failure(`${request.method} is not allowed here`, `use ${allow}`));
        },
        handler: () => undefined,
      });
    }
  }
}
