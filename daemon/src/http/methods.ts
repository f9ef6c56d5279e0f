import type { RouteOptions } from 'fastify';
import router from 'find-my-way';
import type { App } from './app-types.ts';
import { failure } from './envelope.ts';

/** Characters of a parameter in a path; a longer one is no route. */
export const MAX_PARAM_LENGTH = 4096;

type Paths = ReturnType<typeof router>;

/** A path that is there answers every method that it does not have with 405 and `Allow` (RFC 9110 §15.5.6). */
export function refuseOtherMethods(app: App): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => note(methods, { url, method }));
  // Made when it is first needed: as routes of the app itself the refusals would be most of what there is to register.
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

function note(methods: Map<string, Set<string>>, { url, method }: Pick<RouteOptions, 'url' | 'method'>): void {
  const known = methods.get(url) ?? new Set();
  for (const name of [method].flat()) known.add(name.toUpperCase());
  if (known.has('GET')) known.add('HEAD');
  methods.set(url, known);
}

/** Finds the methods of a path, as the app finds its routes. */
function pathsOf(methods: ReadonlyMap<string, ReadonlySet<string>>): Paths {
  const paths = router({ maxParamLength: MAX_PARAM_LENGTH });
  for (const [url, known] of methods) paths.on('GET', url, () => undefined, known);
  return paths;
}
