import type { Retry } from './attempts.ts';
import { SandboxError } from './errors.ts';

/** How to reach a sandbox. Each field has a default. */
export interface ConnectOptions {
  /** Default: `SANDBOX_URL`, else `http://localhost:8080`. May have a path, as behind a proxy. */
  readonly url?: string | URL | undefined;
  /** Default: `SANDBOX_API_KEY`, if neither `url` nor `ticket` is given. */
  readonly apiKey?: string | undefined;
  /** Stands for the key, for pages that must not have it. It needs `path_prefix: "/"` and enough uses. */
  readonly ticket?: string | undefined;
  /** Account of commands, terminals and cells, and owner of created files. */
  readonly user?: string | undefined;
  /** Seconds without a connection after which a call fails. */
  readonly retryFor?: number | undefined;
  /** Seconds until an answer begins, after which its connection counts as lost; default and maximum: 90. */
  readonly answerWithin?: number | undefined;
  /** Called when a call begins to wait for a connection. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Headers of each request, for a proxy before the service. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: that of the platform. */
  readonly fetch?: Fetch | undefined;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Settings {
  /** Without a slash at the end. */
  readonly base: string;
  readonly apiKey: string | undefined;
  readonly ticket: string | undefined;
  readonly user: string | undefined;
  readonly retryFor: number;
  readonly answerWithin: number;
  readonly onRetry: ((retry: Retry) => void) | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
}

const DEFAULT_URL = 'http://localhost:8080';
const RETRY_FOR = 60;

/** @throws SandboxError for an address with another scheme than HTTP, or a key that no request can have */
export function settingsOf(options: ConnectOptions = {}): Settings {
  const { env = {} } =
    (globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string>> } }).process ?? {};
  for (const [name, value] of Object.entries(options.headers ?? {})) requireHeader(`the header ${name}`, value);
  const isOther = options.url !== undefined || options.ticket !== undefined;
  // The key of the environment belongs to the address of the environment.
  const apiKey = options.apiKey ?? (isOther ? undefined : env['SANDBOX_API_KEY'] || undefined);
  if (apiKey !== undefined) requireHeader('the key', apiKey);
  return {
    base: baseOf(options.url ?? (env['SANDBOX_URL'] || DEFAULT_URL)),
    apiKey,
    ticket: options.ticket,
    user: options.user,
    retryFor: options.retryFor ?? RETRY_FOR,
    answerWithin: options.answerWithin ?? Number.POSITIVE_INFINITY,
    onRetry: options.onRetry,
    headers: options.headers ?? {},
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

/** The platform would name the value in its error, which may be secret. @throws SandboxError */
function requireHeader(what: string, value: string): void {
  if (/^[\t -~\u0080-\u00ff]*$/.test(value)) return;
  throw new SandboxError(`${what} has a character that no request can have`, {
    hint: 'look for a line break at its end',
  });
}

function baseOf(url: string | URL): string {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined;
  if (parsed && (parsed.username !== '' || parsed.password !== '')) {
    throw new SandboxError(`url has a name or a password, which would not be sent: ${parsed.host}`, {
      hint: 'give an address without them; what a proxy wants belongs to headers',
    });
  }
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new SandboxError(`url is not an address of HTTP: ${String(url)}`, {
      hint: 'give an address such as http://localhost:8080',
    });
  }
  const path = parsed.pathname;
  return parsed.origin + (path.endsWith('/') ? path.slice(0, -1) : path);
}
