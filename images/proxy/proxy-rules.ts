/** An invalid variable; the message is one line that names it. */
export class ProxyError extends Error {}

export interface ProxySettings {
  /** PROXY_SERVER: a URL, or `host:port` of an HTTP proxy. */
  readonly server?: string | undefined;
  /** PROXY_EXCLUDE and PROXY_INCLUDE: host lists, comma separated. */
  readonly exclude?: string | undefined;
  readonly include?: string | undefined;
  /** PROXY_MAP: `host=target` pairs, comma separated. */
  readonly map?: string | undefined;
}

/** The destination of connections to a mapped host. */
export type Target =
  | { readonly kind: 'direct' }
  | { readonly kind: 'proxy'; readonly url: URL }
  /** Another host to connect to, with an optional port. */
  | { readonly kind: 'host'; readonly address: string };

export interface ProxyRules {
  readonly server: URL | undefined;
  readonly exclude: readonly string[];
  readonly include: readonly string[];
  readonly map: readonly { readonly host: string; readonly target: Target }[];
}

/** A name, an address, or `*.name` for all subdomains of a name. */
const HOST_PATTERN = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$|^\[[0-9a-f:]+\]$/i;
const ADDRESS = /^(?:[a-z0-9_.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;
const SCHEMES = ['http:', 'https:', 'socks4:', 'socks5:', 'socks5h:'];

/** @throws ProxyError for the first invalid value */
export function parseRules({ server, exclude = '', include = '', map = '' }: ProxySettings): ProxyRules {
  return {
    server: server === undefined || server === '' ? undefined : serverUrl(server),
    exclude: hosts('PROXY_EXCLUDE', exclude),
    include: hosts('PROXY_INCLUDE', include),
    map: items(map).map(mapping),
  };
}

/** Whether a proxy wants a user and a password, which Chromium cannot send by itself. */
export function hasCredentials(server: URL | undefined): boolean {
  return server !== undefined && server.username !== '';
}

function serverUrl(text: string): URL {
  const url = proxyUrl('PROXY_SERVER', text);
  if (hasCredentials(url) && url.protocol === 'socks4:')
    throw new ProxyError('PROXY_SERVER: socks4 has no password: expected an http, https or socks5 proxy');
  return url;
}

function mapping(pair: string): ProxyRules['map'][number] {
  const [, host = '', target = ''] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
  if (!HOST_PATTERN.test(host)) throw new ProxyError(`PROXY_MAP: expected host=target, got "${pair}"`);
  return { host: host.toLowerCase(), target: targetOf(target) };
}

function targetOf(target: string): Target {
  if (target === 'direct') return { kind: 'direct' };
  if (target.includes('://')) {
    const url = proxyUrl('PROXY_MAP', target);
    if (hasCredentials(url)) throw new ProxyError('PROXY_MAP: only PROXY_SERVER can have a user and a password');
    return { kind: 'proxy', url };
  }
  if (!ADDRESS.test(target)) throw new ProxyError(`PROXY_MAP: expected host[:port], a URL or direct, got "${target}"`);
  return { kind: 'host', address: target };
}

function proxyUrl(name: string, text: string): URL {
  const withScheme = text.includes('://') ? text : `http://${text}`;
  const url = URL.parse(withScheme);
  if (url && SCHEMES.includes(url.protocol) && url.hostname !== '') return url;
  // The message omits the value, which may contain a password.
  throw new ProxyError(`${name}: expected the URL of an http, https or socks proxy`);
}

function hosts(name: string, text: string): string[] {
  return items(text).map((item) => {
    const host = item.replace(/^\./, '*.').toLowerCase();
    if (!HOST_PATTERN.test(host)) throw new ProxyError(`${name}: expected a list of hosts, got "${item}"`);
    return host;
  });
}

function items(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
