import { hasCredentials, type ProxyRules, type Target } from './proxy-rules.ts';

const LOOPBACK = ['localhost', '*.localhost', '127.0.0.1', '[::1]'];

/**
 * Chromium's flags for the rules: a proxy auto-configuration script, and host resolver rules. A server that wants a
 * user and a password is reached by the forwarder.
 */
export function browserFlags(rules: ProxyRules, forwarderPort: number): string[] {
  const server = hasCredentials(rules.server) ? new URL(`http://127.0.0.1:${forwarderPort}`) : rules.server;
  const script = Buffer.from(proxyScript({ ...rules, server })).toString('base64');
  const flags = [`--proxy-pac-url=data:application/x-ns-proxy-autoconfig;base64,${script}`];
  const replaced = rules.map.flatMap(({ host, target }) =>
    target.kind === 'host' ? [`MAP ${host} ${target.address}`] : [],
  );
  if (replaced.length > 0) flags.push(`--host-resolver-rules=${replaced.join(',')}`);
  return flags;
}

/** A proxy auto-configuration script; the first matching rule applies. */
export function proxyScript({ server, exclude, include, map }: ProxyRules): string {
  const table = [
    ...LOOPBACK.map((host) => [host, 'DIRECT']),
    ...map.map(({ host, target }) => [host, route(target)]),
    ...exclude.map((host) => [host, 'DIRECT']),
    ...include.map((host) => [host, server ? proxy(server) : 'DIRECT']),
  ];
  const otherwise = server && include.length === 0 ? proxy(server) : 'DIRECT';
  return `var table = ${JSON.stringify(table)};
function matches(host, pattern) {
  if (pattern.slice(0, 2) === '*.') return host.slice(1 - pattern.length) === pattern.slice(1);
  return host === pattern || '[' + host + ']' === pattern;
}
function FindProxyForURL(url, host) {
  for (var i = 0; i < table.length; i++) if (matches(host.toLowerCase(), table[i][0])) return table[i][1];
  return ${JSON.stringify(otherwise)};
}
`;
}

function route(target: Target): string {
  return target.kind === 'proxy' ? proxy(target.url) : 'DIRECT';
}

function proxy({ protocol, hostname, port }: URL): string {
  const kind = { 'http:': 'PROXY', 'https:': 'HTTPS', 'socks4:': 'SOCKS' }[protocol] ?? 'SOCKS5';
  const fallback = { 'http:': '80', 'https:': '443' }[protocol] ?? '1080';
  return `${kind} ${hostname}:${port || fallback}`;
}
