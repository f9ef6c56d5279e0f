import { answeredHeaders, type FlatHeaders } from '../exchange/headers.ts';
import type { PreviewTarget } from './preview-port.ts';

/** What one page must not say for a whole origin: to clear what the browser keeps for it, or how it is reached. */
const OF_THE_ORIGIN = new Set(['clear-site-data', 'strict-transport-security', 'alt-svc']);

interface Told {
  readonly requestId: string;
  readonly cookies: readonly string[];
  /** Where the application believes to be: `localhost:3000`; undefined where it was told the client's host. */
  readonly host?: string | undefined;
  /** A sandboxing policy for the page, or none. */
  readonly policy?: string | undefined;
}

type Place = Pick<PreviewTarget, 'form' | 'prefix'>;

/** The fields of an application's answer, with its addresses and its cookies moved below its prefix. */
export function movedHeaders(raw: readonly string[], place: Place, told: Told): FlatHeaders {
  const all = answeredHeaders(raw, told.requestId);
  const headers: FlatHeaders = [];
  for (let i = 0; i < all.length; i += 2) {
    const name = all[i] ?? '';
    const value = moved(name.toLowerCase(), all[i + 1] ?? '', place, told);
    if (value !== undefined) headers.push(name, value);
  }
  if (told.policy !== undefined) headers.push('Content-Security-Policy', told.policy);
  for (const cookie of told.cookies) headers.push('Set-Cookie', cookie);
  return headers;
}

function moved(name: string, value: string, place: Place, { host }: Told): string | undefined {
  if (name === 'set-cookie') return movedCookie(value, place.prefix);
  if (name === 'location' || name === 'content-location') return movedLocation(value, place, host);
  if (name === 'service-worker-allowed') return movedScope(value, place);
  return place.form !== 'host' && OF_THE_ORIGIN.has(name) ? undefined : value;
}

/**
 * How far a worker may reach (Service Workers, "Service-Worker-Allowed"): below the prefix and no further.
 * @returns undefined for what would reach beyond it.
 */
function movedScope(scope: string, place: Place): string | undefined {
  if (place.form === 'host') return scope;
  if (!scope.startsWith('/') || !URL.canParse(scope, 'http://localhost')) return undefined;
  const { host, pathname } = new URL(scope, 'http://localhost');
  const path = movedLocation(pathname, place, undefined);
  return host === 'localhost' && path.startsWith(`${place.prefix}/`) ? path : undefined;
}

/** A redirect to the application's own address leads to where the client sees it. */
export function movedLocation(location: string, { form, prefix }: Place, host: string | undefined): string {
  const local = ownPath(location, host);
  if (local === undefined) return location;
  if (form !== 'path' || local === prefix || local.startsWith(`${prefix}/`)) return local;
  return `${prefix}${local}`;
}

/** The path of an address on the application's own host; undefined for a relative or a foreign one. */
function ownPath(location: string, host: string | undefined): string | undefined {
  if (location.startsWith('/') && !/^\/[/\\]/.test(location)) return location;
  if (host === undefined) return undefined;
  const own = [host, host.replace('localhost', '127.0.0.1')];
  const found = own.find((name) => location.toLowerCase().startsWith(`http://${name}`));
  if (found === undefined) return undefined;
  const rest = location.slice(`http://${found}`.length);
  if (rest === '' || rest.startsWith('?') || rest.startsWith('#')) return `/${rest}`;
  return rest.startsWith('/') ? rest : undefined;
}

/**
 * A cookie of the application: host-only and, below a prefix, of that prefix alone (RFC 6265 §4.1.2).
 * @returns undefined for one that takes the name of the service's own.
 */
export function movedCookie(cookie: string, prefix: string): string | undefined {
  const [pair = '', ...attributes] = cookie.split(';');
  if (/^\s*svc_session/i.test(pair)) return undefined;
  const kept = attributes.filter((attribute) => !/^\s*domain\s*(=|$)/i.test(attribute));
  if (prefix === '') return [pair, ...kept].join(';');
  return [pair, ...kept.map((attribute) => movedPath(attribute, prefix))].join(';');
}

function movedPath(attribute: string, prefix: string): string {
  const path = /^\s*path\s*=\s*(\/.*)$/i.exec(attribute)?.[1]?.trim();
  if (path === undefined || path === prefix || path.startsWith(`${prefix}/`)) return attribute;
  return ` Path=${prefix}${path}`;
}
