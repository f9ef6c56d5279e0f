import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { browserFlags, proxyScript } from './browser-flags.ts';
import { commandEnvironment } from './command-environment.ts';
import { type ProxySettings, parseRules } from './proxy-rules.ts';

function routes(settings: ProxySettings, hosts: readonly string[]): string[] {
  const script = `${proxyScript(parseRules(settings))}; hosts.map((host) => FindProxyForURL('http://' + host, host))`;
  return Array.from(runInNewContext(script, { hosts }) as string[]);
}

test('all hosts except loopback use the proxy', () => {
  expect(
    routes({ server: 'proxy.example:3128' }, ['a.example', 'localhost', 'x.localhost', '127.0.0.1', '::1']),
  ).toEqual(['PROXY proxy.example:3128', 'DIRECT', 'DIRECT', 'DIRECT', 'DIRECT']);
});

test.each([
  ['http://p', 'PROXY p:80'],
  ['https://p', 'HTTPS p:443'],
  ['socks5://p', 'SOCKS5 p:1080'],
  ['socks4://p:9', 'SOCKS p:9'],
])('the script names %s as %s', (server, proxy) => {
  expect(routes({ server }, ['a.example'])).toEqual([proxy]);
});

test('excluded hosts connect directly; with a list of included hosts only these use the proxy', () => {
  const hosts = ['a.example', 'b.a.example', 'xa.example', 'other.example'];
  const [server, proxy] = ['p:1', 'PROXY p:1'];
  expect(routes({ server, exclude: '*.a.example, other.example' }, hosts)).toEqual([proxy, 'DIRECT', proxy, 'DIRECT']);
  expect(routes({ server, include: '.a.example' }, hosts)).toEqual(['DIRECT', proxy, 'DIRECT', 'DIRECT']);
});

test('a mapped host uses its own proxy, no proxy, or another address', () => {
  const settings = { server: 'p:1', map: 'a.example=http://q:2,*.b.example=direct,c.example=10.0.0.1:81' };
  expect(routes(settings, ['a.example', 'x.b.example', 'c.example', 'd.example'])).toEqual([
    'PROXY q:2',
    'DIRECT',
    'DIRECT',
    'PROXY p:1',
  ]);
  expect(browserFlags(parseRules(settings), 8101)).toEqual([
    expect.stringMatching(/^--proxy-pac-url=data:application\/x-ns-proxy-autoconfig;base64,/),
    '--host-resolver-rules=MAP c.example 10.0.0.1:81',
  ]);
});

test('commands get the proxy and its exceptions as variables in lower and upper case', () => {
  const variables = commandEnvironment(parseRules({ server: 'p:1', exclude: '*.a.example', map: 'b.example=direct' }));
  expect(variables).toMatchObject({ http_proxy: 'http://p:1', HTTPS_PROXY: 'http://p:1', NODE_USE_ENV_PROXY: '1' });
  expect(variables['no_proxy']).toBe('localhost,127.0.0.1,::1,.a.example,b.example');
  expect(commandEnvironment(parseRules({ server: 'socks5h://p:1' }))).toMatchObject({ ALL_PROXY: 'socks5h://p:1' });
});

test('commands get no variables with included hosts or without a proxy', () => {
  expect(commandEnvironment(parseRules({ server: 'p:1', include: 'a.example' }))).toEqual({});
  expect(commandEnvironment(parseRules({ map: 'a.example=direct' }))).toEqual({});
});

test.each([
  [{ server: 'ftp://user:secret@p' }, 'PROXY_SERVER: expected the URL of an http, https or socks proxy'],
  [{ exclude: 'a b' }, 'PROXY_EXCLUDE: expected a list of hosts, got "a b"'],
  [{ include: 'a,*' }, 'PROXY_INCLUDE: expected a list of hosts, got "*"'],
  [{ map: 'a.example' }, 'PROXY_MAP: expected host=target, got "a.example"'],
  [{ map: 'a.example=b c' }, 'PROXY_MAP: expected host[:port], a URL or direct, got "b c"'],
])('%j is refused with the name of the variable', (settings, message) => {
  expect(() => parseRules(settings)).toThrow(message);
});
