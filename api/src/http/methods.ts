import type { RouteOptions } from 'fastify';
import router from 'find-my-way';
import type { App } from './app-types.ts';
import { failure } from './envelope.ts';

/** Longest path parameter, in characters; a longer one matches no route. */
export const MAX_PARAM_LENGTH = 4096;

type Paths = ReturnType<typeof router>;

/** Responds with 405 and `Allow` to an unsupported method of a known path (RFC 9110 §15.5.6). */
export function refuseOtherMethods(app: App): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config === undefined || !('isRemoved' in config)) recordMethod(methods, { url, method });
  });
  // Built at first use: as routes of the app itself, the 405 responses would dominate the registration time.
  let paths: Paths | undefined;
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) {
      done();
      return;
    }
    paths ??= pathsOf(methods);
    const known: unknown = paths.find('GET', request.url)?.store;
    if (!(known instanceof Set)) {
      done();
      return;
    }
    const allow = [...known].sort().join(', ');
    void reply
      .code(405)
      .header('allow', allow)
      .send(failure(`${request.method} is not allowed here`, `use ${allow}`));
  });
}

function recordMethod(methods: Map<string, Set<string>>, { url, method }: Pick<RouteOptions, 'url' | 'method'>): void {
  const known = methods.get(url) ?? new Set();
  for (const name of [method].flat()) known.add(name.toUpperCase());
  if (known.has('GET')) known.add('HEAD');
  methods.set(url, known);
}

/** A router that maps a path to its methods by the rules of the app's router. */
function pathsOf(methods: ReadonlyMap<string, ReadonlySet<string>>): Paths {
  const paths = router({ maxParamLength: MAX_PARAM_LENGTH });
  for (const [url, known] of methods) paths.on('GET', url, () => undefined, known);
  return paths;
}
