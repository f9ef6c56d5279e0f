import type { ProxyRules } from './proxy-rules.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/**
 * The variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` for commands. They can express one proxy and a
 * list of exceptions but no list of included hosts, so with PROXY_INCLUDE no variable is set.
 */
export function commandEnvironment({ server, exclude, include, map }: ProxyRules): Record<string, string> {
  if (server === undefined || include.length > 0) return {};
  const direct = map.flatMap(({ host, target }) => (target.kind === 'proxy' ? [] : [host]));
  const exceptions = [...LOOPBACK, ...exclude, ...direct].map((host) => host.replace(/^\*\./, '.')).join(',');
  const url = server.href.replace(/\/$/, '');
  const names = server.protocol.startsWith('socks') ? ['all_proxy'] : ['http_proxy', 'https_proxy'];
  const values: Record<string, string> = { no_proxy: exceptions };
  for (const name of names) values[name] = url;
  // Without it fetch and http of Node ignore these variables.
  const forNode = names.includes('http_proxy') ? { NODE_USE_ENV_PROXY: '1' } : {};
  const both = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [name, value],
      [name.toUpperCase(), value],
    ]),
  );
  return { ...both, ...forNode };
}
