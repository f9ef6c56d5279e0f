import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import { openPreview } from './apps/open-preview.ts';
import { previewByPath } from './apps/preview-port.ts';
import { sendTerminal } from './apps/terminal-page.ts';
import type { Admission } from './exchange/admission.ts';
import type { Exchange } from './exchange/exchange.ts';
import { isOpenPreview } from './exchange/preview-address.ts';
import { sendError } from './exchange/responses.ts';
import { sendAppFile } from './landing/app-page.ts';
import { handleLanding, isLanding } from './landing/landing.ts';
import { sendMetrics } from './metrics/send-metrics.ts';
import { relay } from './relay/relay.ts';
import type { Services } from './services.ts';

/** Handles a request or an upgrade of one of the gateway's paths; the response sets the cookies of the admission. */
type Handler = (exchange: Exchange, services: Services, admission: Admission) => void | Promise<void>;

interface Route {
  readonly path: string;
  /** `exact`: this path only. `prefix`: this path and everything below `path/`. */
  readonly match: 'exact' | 'prefix';
  /** Whether the request needs the daemon's admission first. */
  readonly gated: boolean;
  readonly handler: Handler;
  /** A further condition; a request that does not meet it goes to the daemon. */
  readonly when?: (exchange: Exchange) => boolean;
}

const landing: Handler = (exchange, services) => handleLanding(exchange, services);
const browser: Handler = (exchange, services, admission) => services.browser.handle(exchange, admission);
const desktop: Handler = (exchange, services, admission) => services.desktop.handle(exchange, admission);
const codeServer: Handler = (exchange, services, admission) => services.codeServer.handle(exchange, admission);
const jupyter: Handler = (exchange, services, admission) => services.jupyter.handle(exchange, admission);
const opener: Handler = (exchange, _services, admission) => openPreview(exchange, admission);

const preview: Handler = (exchange, { previews }, admission) => {
  const target = previewByPath(exchange);
  if (target) previews.handle(exchange, target, admission);
  else
    sendError(exchange, 404, {
      message: 'the path needs a port: /proxy/{port}/',
      hint: 'add the port that the program listens on, such as /proxy/3000/',
    });
};

/** The page is the daemon's; the gateway adds the key form and takes a credential out of the address. */
const explorer: Handler = (exchange, { upstream }) => {
  exchange.access.byDaemon = true;
  relay(exchange, upstream);
};

const appFile: Handler = (exchange, _services, admission) => sendAppFile(exchange, admission);
const terminal: Handler = (exchange, _services, admission) => sendTerminal(exchange, admission);

const metrics: Handler = (exchange, services) => sendMetrics(exchange, services);

/** The gateway's own paths. All other requests go to the daemon. */
const ROUTES: readonly Route[] = [
  { path: GATEWAY_PATHS.landing, match: 'exact', gated: false, handler: landing, when: isLanding },
  { path: GATEWAY_PATHS.app, match: 'prefix', gated: true, handler: appFile },
  { path: GATEWAY_PATHS.browser, match: 'prefix', gated: true, handler: browser },
  { path: GATEWAY_PATHS.discovery, match: 'prefix', gated: true, handler: browser },
  { path: GATEWAY_PATHS.desktop, match: 'prefix', gated: true, handler: desktop },
  { path: GATEWAY_PATHS.desktopSocket, match: 'prefix', gated: true, handler: desktop },
  { path: GATEWAY_PATHS.codeServer, match: 'prefix', gated: true, handler: codeServer },
  { path: GATEWAY_PATHS.jupyter, match: 'prefix', gated: true, handler: jupyter },
  { path: GATEWAY_PATHS.preview, match: 'prefix', gated: true, handler: preview },
  { path: GATEWAY_PATHS.absolutePreview, match: 'prefix', gated: true, handler: preview },
  { path: GATEWAY_PATHS.openPreview, match: 'prefix', gated: true, handler: opener, when: isOpenPreview },
  { path: GATEWAY_PATHS.terminal, match: 'prefix', gated: true, handler: terminal },
  { path: GATEWAY_PATHS.metrics, match: 'exact', gated: true, handler: metrics },
  { path: GATEWAY_PATHS.explorer, match: 'exact', gated: true, handler: explorer, when: isLanding },
  { path: GATEWAY_PATHS.explorerV1, match: 'exact', gated: true, handler: explorer, when: isLanding },
];

const LONGEST_FIRST = [...ROUTES].sort((a, b) => b.path.length - a.path.length);

/**
 * Finds the route of a request. The path is deliberately neither decoded nor normalised: a path that does not match
 * literally is forwarded unchanged, and the daemon interprets it.
 */
export function routeOf(exchange: Exchange, routes: readonly Route[] = LONGEST_FIRST): Route | undefined {
  const { path } = exchange.target;
  const route = routes.find((candidate) => matches(candidate, path));
  return route?.when && !route.when(exchange) ? undefined : route;
}

function matches({ path: own, match }: Route, path: string): boolean {
  if (!path.startsWith(own)) return false;
  return path.length === own.length || (match === 'prefix' && path[own.length] === '/');
}
