import { type FlatHeaders, responseHeaders } from '../exchange/headers.ts';
import type { PreviewTarget } from './preview-port.ts';

/** Response headers that affect the whole origin, which a preview by path shares with the gateway. */
const ORIGIN_WIDE_HEADERS = new Set(['clear-site-data', 'strict-transport-security', 'alt-svc']);

interface RewriteOptions {
  readonly requestId: string;
  readonly cookies: readonly string[];
  /** The `Host` that the application received: `localhost:3000`; undefined if it received the client's. */
  readonly host?: string | undefined;
  /** `Content-Security-Policy` that is added to the response. */
  readonly policy?: string | undefined;
}

type PublicPath = Pick<PreviewTarget, 'form' | 'prefix'>;

/** The response headers of an application, with URLs and cookie paths moved below the prefix. */
export function rewriteHeaders(raw: readonly string[], place: PublicPath, options: RewriteOptions): FlatHeaders {
  const all = responseHeaders(raw, options.requestId);
  const headers: FlatHeaders = [];
  for (let i = 0; i < all.length; i += 2) {
    const name = all[i] ?? '';
    const value = rewriteHeader(name.toLowerCase(), all[i + 1] ?? '', place, options);
    if (value !== undefined) headers.push(name, value);
  }
  if (options.policy !== undefined) headers.push('Content-Security-Policy', options.policy);
  for (const cookie of options.cookies) headers.push('Set-Cookie', cookie);
  return headers;
}

function rewriteHeader(name: string, value: string, place: PublicPath, { host }: RewriteOptions): string | undefined {
  if (name === 'set-cookie') return rewriteCookie(value, place.prefix);
  if (name === 'location' || name === 'content-location') return rewriteLocation(value, place, host);
  if (name === 'service-worker-allowed') return rewriteScope(value, place);
  return place.form !== 'host' && ORIGIN_WIDE_HEADERS.has(name) ? undefined : value;
}

/**
 * The scope of a service worker (Service Workers, "Service-Worker-Allowed"), moved below the prefix.
 * @returns undefined for a scope outside the prefix
 */
function rewriteScope(scope: string, place: PublicPath): string | undefined {
  if (place.form === 'host') return scope;
  if (!scope.startsWith('/') || !URL.canParse(scope, 'http://localhost')) return undefined;
  const { host, pathname } = new URL(scope, 'http://localhost');
  const path = rewriteLocation(pathname, place, undefined);
  return host === 'localhost' && path.startsWith(`${place.prefix}/`) ? path : undefined;
}

/** Moves a redirect to the application's own host below its prefix; any other URL stays unchanged. */
export function rewriteLocation(location: string, { form, prefix }: PublicPath, host: string | undefined): string {
  const local = ownPath(location, host);
  if (local === undefined) return location;
  if (form !== 'path' || local === prefix || local.startsWith(`${prefix}/`)) return local;
  return `${prefix}${local}`;
}

/** The path of a URL on the application's own host; undefined for a relative URL or another host. */
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
 * Makes a cookie of the application host-only and restricts its path to the prefix (RFC 6265 §4.1.2).
 * @returns undefined for a cookie with the name of the service's session cookie
 */
export function rewriteCookie(cookie: string, prefix: string): string | undefined {
  const [pair = '', ...attributes] = cookie.split(';');
  if (/^\s*svc_session/i.test(pair)) return undefined;
  const kept = attributes.filter((attribute) => !/^\s*domain\s*(=|$)/i.test(attribute));
  if (prefix === '') return [pair, ...kept].join(';');
  return [pair, ...kept.map((attribute) => rewriteCookiePath(attribute, prefix))].join(';');
}

function rewriteCookiePath(attribute: string, prefix: string): string {
  const path = /^\s*path\s*=\s*(\/.*)$/i.exec(attribute)?.[1]?.trim();
  if (path === undefined || path === prefix || path.startsWith(`${prefix}/`)) return attribute;
  return ` Path=${prefix}${path}`;
}
