import { isIP } from 'node:net';

/**
 * Which `Host` headers are allowed without an API key. A web page can resolve a domain of its own to this machine (DNS
 * rebinding), but cannot own an IP literal, a name without a dot, or `*.localhost` (RFC 6761 §6.3).
 */
export class HostRule {
  readonly #allowed: ReadonlySet<string>;
  /** Suffixes of the names that were listed with a leading `*`. */
  readonly #suffixes: readonly string[];
  /** The same of a leading `**.`, each with its dot. */
  readonly #deepSuffixes: readonly string[];

  /** @param allowedHosts names; a leading `*` matches one label or the beginning of one, `**.` one label or several */
  constructor(allowedHosts: readonly string[]) {
    const names = allowedHosts.map((name) => name.toLowerCase());
    this.#allowed = new Set(names.filter((name) => !name.startsWith('*')));
    const isDeep = (name: string): boolean => name.startsWith('**.');
    this.#suffixes = names.filter((name) => name.startsWith('*') && !isDeep(name)).map((name) => name.slice(1));
    this.#deepSuffixes = names.filter(isDeep).map((name) => name.slice(2));
  }

  allows(host: string): boolean {
    const name = hostName(host);
    if (name === undefined) return false;
    if (isIP(name) !== 0 || this.#allowed.has(name) || this.#allowed.has(host.toLowerCase())) return true;
    if (name === 'localhost' || name.endsWith('.localhost') || !name.includes('.')) return true;
    const ending = (suffix: string, count: number): boolean =>
      name.endsWith(suffix) && areLabels(name.slice(0, -suffix.length), count);
    return (
      this.#suffixes.some((suffix) => ending(suffix, 1)) ||
      this.#deepSuffixes.some((suffix) => ending(suffix, Number.POSITIVE_INFINITY))
    );
  }
}

/** Which origins are allowed: the service's own and the listed ones. */
export class OriginRule {
  readonly #allowed: ReadonlySet<string>;

  constructor(allowedOrigins: readonly string[]) {
    this.#allowed = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  }

  /** The listed origins that are valid in a policy. */
  get listed(): string[] {
    return [...this.#allowed].filter((origin) => /^https?:\/\/[\w.[\]:-]+$/.test(origin));
  }

  /** Whether the operator has listed the origin; only such an origin gets CORS headers. */
  isListed(origin: string): boolean {
    return this.#allowed.has(origin.toLowerCase());
  }

  /** @param hosts hosts of the request: `Host`, and `X-Forwarded-Host` of a trusted proxy */
  allows(origin: string, hosts: readonly string[]): boolean {
    if (this.isListed(origin)) return true;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
    return hosts.some((host) => hostOf(host, url.protocol) === url.host);
  }
}

/** Whether it has one label, or up to `max` ones, and nothing else. */
function areLabels(text: string, max: number): boolean {
  const labels = text.split('.');
  return labels.length <= max && labels.every((label) => /^[a-z0-9-]+$/.test(label));
}

/** The host name of a Host header in lower case, without the port; undefined if it is not a valid host. */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}

/** The host in the notation of a URL of that scheme, without the scheme's default port. */
function hostOf(host: string, protocol: string): string | undefined {
  return URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : undefined;
}
