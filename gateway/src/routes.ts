import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import { answerLanding, isLanding } from './apps/landing.ts';
import { isOpener, openPreview } from './apps/open-preview.ts';
import { previewByPath } from './apps/preview-port.ts';
import { answerTerminal } from './apps/terminal-page.ts';
import type { Admission } from './auth.ts';
import { answerRefusal } from './exchange/answers.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { Services } from './services.ts';

/** Answers a request or an upgrade of one of the gateway's own paths; the gate's cookies go with the answer. */
type Handler = (exchange: Exchange, services: Services, admission: Admission) => void | Promise<void>;

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

const landing: Handler = (exchange, services) => answerLanding(exchange, services);
const browser: Handler = (exchange, services, admission) => services.browser.answer(exchange, admission);
const desktop: Handler = (exchange, services, admission) => services.desktop.answer(exchange, admission);
const codeServer: Handler = (exchange, services, admission) => services.codeServer.answer(exchange, admission);
const jupyter: Handler = (exchange, services, admission) => services.jupyter.answer(exchange, admission);
const opener: Handler = (exchange, services, admission) => openPreview(exchange, services, admission);

const preview: Handler = (exchange, { previews }, admission) => {
  const asked = previewByPath(exchange);
  if (asked) previews.answer(exchange, asked, admission);
  else answerRefusal(exchange, 404, { message: 'a preview names its port: /proxy/{port}/' });
};

const terminal: Handler = (exchange, _services, { cookies }) => answerTerminal(exchange, cookies);

/** The gateway's own paths. Everything else is the daemon's. */
const ROUTES: readonly Route[] = [
  { path: GATEWAY_PATHS.landing, match: 'exact', gated: false, handler: landing, when: isLanding },
  { path: GATEWAY_PATHS.browser, match: 'prefix', gated: true, handler: browser },
  { path: GATEWAY_PATHS.desktop, match: 'prefix', gated: true, handler: desktop },
  { path: GATEWAY_PATHS.desktopSocket, match: 'prefix', gated: true, handler: desktop },
  { path: GATEWAY_PATHS.codeServer, match: 'prefix', gated: true, handler: codeServer },
  { path: GATEWAY_PATHS.jupyter, match: 'prefix', gated: true, handler: jupyter },
  { path: GATEWAY_PATHS.preview, match: 'prefix', gated: true, handler: preview },
  { path: GATEWAY_PATHS.absolutePreview, match: 'prefix', gated: true, handler: preview },
  { path: GATEWAY_PATHS.openPreview, match: 'prefix', gated: true, handler: opener, when: isOpener },
  { path: GATEWAY_PATHS.terminal, match: 'prefix', gated: true, handler: terminal },
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
