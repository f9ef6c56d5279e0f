import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import { covers, isUnder } from '../../core/access/path-prefix.ts';
import type { Need, RouteScopes } from '../../core/access/scopes.ts';

/** Of no capability. */
const OWN: RouteScopes = {
  '/': 'GET=any',
  '/health': 'GET=any',
  '/ready': 'GET=any',
  '/metrics': 'GET=read',
  '/llms.txt': 'GET=any',
  '/openapi.json': 'GET=any',
  '/docs': 'GET=any',
  '/docs/:file': 'GET=any',
  '/v1/docs': 'GET=any',
  '/v1/docs/:file': 'GET=any',
  '/internal/auth': 'GET=any',
  '/internal/credentials': 'GET=any',
  '/mcp': 'POST=control',
  '/v2/openapi.json': 'GET=any',
  '/v2/guide': 'GET=any',
  '/v1/openapi.json': 'GET=any',
  '/v1/mcp': 'POST=control',
};

/** What the gateway's own paths need, and what is below them. */
const PAGES: readonly (readonly [prefix: string, need: Need])[] = [
  // The landing page asks about it, to know whether the client has a key; the route itself needs more.
  ['/metrics', 'any'],
  [GATEWAY_PATHS.app, 'any'],
  [GATEWAY_PATHS.explorer, 'any'],
  [GATEWAY_PATHS.explorerV1, 'any'],
  [GATEWAY_PATHS.desktop, 'view'],
  [GATEWAY_PATHS.desktopSocket, 'view'],
  [GATEWAY_PATHS.terminal, 'view'],
  [GATEWAY_PATHS.metrics, 'read'],
  [GATEWAY_PATHS.browser, 'control'],
  [GATEWAY_PATHS.discovery, 'control'],
  [GATEWAY_PATHS.codeServer, 'control'],
  [GATEWAY_PATHS.jupyter, 'control'],
  [GATEWAY_PATHS.openPreview, 'control'],
  [GATEWAY_PATHS.preview, 'control'],
  [GATEWAY_PATHS.absolutePreview, 'control'],
];

/** What requests need of their credential. What is not decided is refused to a key without `all`. */
export class RouteNeeds {
  readonly #needs: ReadonlyMap<string, Need>;

  /** @param scopes of capabilities */
  constructor(scopes: readonly RouteScopes[]) {
    const decided = [OWN, ...scopes].flatMap((each) => Object.entries(each));
    this.#needs = new Map(decided.flatMap(([path, needs]) => entriesOf(path, needs)));
  }

  /** @param url of the route, with the names of its parameters; undefined: no route, which answers 404 to every key */
  of(method: string, url: string | undefined): Need | undefined {
    return url === undefined ? 'any' : this.#needs.get(`${method === 'HEAD' ? 'GET' : method} ${url}`);
  }
}

function entriesOf(path: string, needs: string): [string, Need][] {
  return needs.split(' ').map((decision) => {
    const [method, need] = decision.split('=');
    return [`${method} ${path}`, need as Need];
  });
}

/** @param target of a request that the gateway serves itself */
export function needOfPage(target: string): Need | undefined {
  const [path = ''] = target.split('?', 1);
  if (path === GATEWAY_PATHS.landing) return 'any';
  // Applications resolve the rest of such a path, whatever it is, and no prefix needs more.
  return PAGES.find(([prefix, need]) => (need === 'control' ? isUnder : isCovered)(path, prefix))?.[1];
}

function isCovered(path: string, prefix: string): boolean {
  return covers(prefix, path);
}
