import { answerRefusal } from './answers.ts';
import type { Exchange } from './exchange.ts';
import { answerLanding, isLanding } from './landing.ts';
import type { Upstream } from './upstream.ts';

/** What the handlers of the gateway's own paths work with. */
export interface Services {
  readonly upstream: Upstream;
  readonly version: string;
}

/** Answers a request or an upgrade of one of the gateway's own paths; `cookies` are the gate's, for its answer. */
type Handler = (exchange: Exchange, services: Services, cookies: readonly string[]) => void | Promise<void>;

interface Route {
  readonly path: string;
  /** `exact`: this path alone. `prefix`: and all below it, at the boundary of a segment. */
  readonly match: 'exact' | 'prefix';
  /** The daemon must allow the request first. */
  readonly gated: boolean;
  readonly handler: Handler;
  /** Further conditions; where they do not hold the request is the daemon's. */
  readonly when?: (exchange: Exchange) => boolean;
}

const landing: Handler = (exchange, { upstream, version }) => answerLanding(exchange, upstream, version);

/** Holds the place of a service that this gateway does not offer. */
function absent(service: string): Handler {
  return (exchange, _services, cookies) =>
    answerRefusal(exchange, 503, {
      message: `${service} is not available`,
      hint: `this gateway has no upstream for ${service}`,
      headers: cookies.length > 0 ? { 'Set-Cookie': [...cookies] } : {},
    });
}

/** The gateway's own paths. Everything else is the daemon's. */
const ROUTES: readonly Route[] = [
  { path: '/', match: 'exact', gated: false, handler: landing, when: isLanding },
  { path: '/cdp', match: 'prefix', gated: true, handler: absent('the browser') },
  { path: '/vnc', match: 'prefix', gated: true, handler: absent('the desktop') },
  { path: '/websockify', match: 'prefix', gated: true, handler: absent('the desktop') },
  { path: '/code-server', match: 'prefix', gated: true, handler: absent('code-server') },
  { path: '/jupyter', match: 'prefix', gated: true, handler: absent('jupyter') },
  { path: '/proxy', match: 'prefix', gated: true, handler: absent('the preview') },
  { path: '/absproxy', match: 'prefix', gated: true, handler: absent('the preview') },
  { path: '/terminal', match: 'prefix', gated: true, handler: absent('the terminal page') },
];

const DEEPEST_FIRST = [...ROUTES].sort((a, b) => b.path.length - a.path.length);

/**
 * The route of a request, by its path as it was sent. Nothing is decoded or normalised on purpose: what is not
 * literally one of ours goes on unchanged and means to the daemon what it means there.
 */
export function routeOf(exchange: Exchange, routes: readonly Route[] = DEEPEST_FIRST): Route | undefined {
  const { path } = exchange.target;
  const route = routes.find((candidate) => matches(candidate, path));
  return route?.when && !route.when(exchange) ? undefined : route;
}

function matches({ path: own, match }: Route, path: string): boolean {
  if (!path.startsWith(own)) return false;
  return path.length === own.length || (match === 'prefix' && path[own.length] === '/');
}
