import { isIP } from 'node:net';

/**
 * Which `Host` headers are served where no key protects the service. A web page can point a name of its own at
 * this machine (DNS rebinding) but can neither own an IP literal, a dotless name, nor `*.localhost` (RFC 6761 §6.3).
 */
export class HostRule {
  readonly #allowed: ReadonlySet<string>;
  /** The ends of names that were listed with a `*` before them. */
  readonly #endings: readonly string[];

  /** @param allowedHosts names; a `*` at the beginning stands for one label or the beginning of one. */
  constructor(allowedHosts: readonly string[]) {
    const names = allowedHosts.map((name) => name.toLowerCase());
    this.#allowed = new Set(names.filter((name) => !name.startsWith('*')));
    this.#endings = names.filter((name) => name.startsWith('*')).map((name) => name.slice(1));
  }

  allows(host: string): boolean {
    const name = hostName(host);
    if (name === undefined) return false;
    if (isIP(name) !== 0 || this.#allowed.has(name) || this.#allowed.has(host.toLowerCase())) return true;
    if (name === 'localhost' || name.endsWith('.localhost') || !name.includes('.')) return true;
    return this.#endings.some((ending) => name.endsWith(ending) && /^[a-z0-9-]+$/.test(name.slice(0, -ending.length)));
  }
}

/** Which pages may call: those of the service itself, and the listed ones. */
export class OriginRule {
  readonly #allowed: ReadonlySet<string>;

  constructor(allowedOrigins: readonly string[]) {
    this.#allowed = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  }

  /** An origin that was listed by the operator; it also gets CORS answers. */
  isListed(origin: string): boolean {
    return this.#allowed.has(origin.toLowerCase());
  }

  /** `hosts` are the names by which the request reached us: `Host`, and `X-Forwarded-Host` of a trusted proxy. */
  allows(origin: string, hosts: readonly string[]): boolean {
    if (this.isListed(origin)) return true;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
    return hosts.some((host) => hostOf(host, url.protocol) === url.host);
  }
}

/** The name of a Host header without its port, lower case; undefined where it is no host at all. */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}

/** The host as a URL of that scheme writes it, the scheme's own port left out. */
function hostOf(host: string, protocol: string): string | undefined {
  return URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : undefined;
}
