/** Why a navigation did not arrive. */
export type FailureReason =
  | 'dns'
  | 'refused'
  | 'tls'
  | 'blocked'
  | 'timeout'
  | 'redirects'
  | 'download'
  | 'not_found'
  | 'proxy'
  | 'unreachable'
  | 'aborted'
  | 'crashed'
  | 'closed'
  | 'network';

/** Beginnings of the names of Chromium's network errors (net_error_list.h), without `net::ERR_`. */
const BEGINNINGS: readonly (readonly [FailureReason, readonly string[]])[] = [
  ['dns', ['NAME_', 'DNS_', 'ICANN_']],
  ['refused', ['CONNECTION_REFUSED']],
  ['tls', ['CERT_', 'SSL_', 'BAD_SSL', 'CT_', 'ECH_']],
  ['blocked', ['BLOCKED_', 'UNSAFE_', 'DISALLOWED_', 'UNKNOWN_URL_SCHEME', 'ACCESS_DENIED', 'NETWORK_ACCESS_DENIED']],
  ['timeout', ['TIMED_OUT', 'CONNECTION_TIMED_OUT']],
  ['redirects', ['TOO_MANY_REDIRECTS', 'UNSAFE_REDIRECT', 'INVALID_REDIRECT']],
  ['not_found', ['FILE_NOT_FOUND', 'INVALID_URL']],
  ['proxy', ['PROXY_', 'TUNNEL_', 'SOCKS_', 'MANDATORY_PROXY', 'NO_SUPPORTED_PROXIES']],
  ['unreachable', ['ADDRESS_UNREACHABLE', 'INTERNET_DISCONNECTED', 'NETWORK_']],
  ['aborted', ['ABORTED']],
];

/** @param errorText as DevTools give it: `net::ERR_NAME_NOT_RESOLVED` */
export function reasonOf(errorText: string): FailureReason {
  const name = errorText.replace(/^net::ERR_/, '');
  return BEGINNINGS.find(([, beginnings]) => beginnings.some((text) => name.startsWith(text)))?.[0] ?? 'network';
}

const WORDS: Readonly<Record<FailureReason, readonly [message: string, hint: string]>> = {
  dns: ['the name of the host has no address', 'check the name, and that the sandbox reaches a name server'],
  refused: ['nothing listens at that address', 'check host and port, and that the server has started'],
  tls: ['the TLS connection or the certificate was refused', 'use a name that the certificate has, or http'],
  blocked: ['the browser does not open this address', 'use another port or scheme'],
  timeout: ['the page did not get that far in time', 'give a longer timeout, or wait_until=commit'],
  redirects: ['the server redirects in a circle', 'delete cookies of the site, or open another address'],
  download: ['the address is a download; the page stays', 'the file goes to the download directory of the browser'],
  not_found: ['file not found', 'check the path'],
  proxy: ['the proxy of the browser failed', 'check PROXY_SERVER and PROXY_MAP'],
  unreachable: ['the address cannot be reached from here', 'check the network of the sandbox'],
  aborted: ['another navigation replaced it', 'GET tabs shows where the tab is'],
  crashed: ['the page crashed', 'navigate again'],
  closed: ['the tab was closed', 'GET tabs lists the open tabs'],
  network: ['the connection failed', 'GET network/requests has the requests of the page'],
};

/** Message and hint for a reason. */
export function wordsOf(reason: FailureReason): readonly [message: string, hint: string] {
  return WORDS[reason];
}
