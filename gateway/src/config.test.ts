import { OptionError, serviceLinks } from '@sandbox/program/options.ts';
import { expect, test } from 'vitest';
import { GatewayOptions, readConfig } from './config.ts';

test('by default the gateway listens on loopback and connects to the daemon there', () => {
  const config = readConfig([], {});
  expect(config).toMatchObject({
    gatewayHost: '127.0.0.1',
    gatewayPort: 8080,
    daemonHost: '127.0.0.1',
    daemonPort: 8091,
    accessLog: 'errors',
    logLevel: 'info',
  });
  expect(config.isTrusted('127.8.9.1')).toBe(true);
  expect(config.isTrusted('::1')).toBe(true);
  expect(config.isTrusted('10.0.0.1')).toBe(false);
});

test.each([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
  ['[::]', '::1'],
  ['[fd00::2]', 'fd00::2'],
  ['daemon.internal', 'daemon.internal'],
])('a daemon that listens on %s is reached at %s', (given, reached) => {
  expect(readConfig([], { SVC_HOST: given }).daemonHost).toBe(reached);
});

test('trusted proxies are addresses, ranges and the word loopback', () => {
  const { isTrusted } = readConfig([], { SVC_TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8,192.0.2.7,loopback' });
  expect(['10.255.0.1', '192.0.2.7', '127.0.0.1'].map(isTrusted)).toEqual([true, true, true]);
  expect(isTrusted('fd12::1')).toBe(true);
  expect(isTrusted('192.0.2.8')).toBe(false);
});

test.each([
  ['GATEWAY_PORT', '65536'],
  ['GATEWAY_PORT', 'http'],
  ['SVC_PORT', '0'],
  ['SVC_HOST', 'http://x/'],
  ['SVC_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['SVC_TRUSTED_PROXIES', 'everyone'],
  ['SVC_ACCESS_LOG', 'some'],
  ['LOG_LEVEL', 'loud'],
])('an invalid %s (%s) is an error of one line that names it', (name, value) => {
  const read = () => readConfig([], { [name]: value });
  expect(read).toThrow(OptionError);
  expect(read).toThrow(new RegExp(`^${name} \\(--[a-z-]+\\): [^\\n]+$`));
});

test('[options.service-links] a variable that Kubernetes set for a Service of that name is ignored and named', () => {
  const env = { GATEWAY_PORT: 'tcp://10.96.7.1:8080', SVC_PORT: 'udp://[fd00::1]:53', GATEWAY_HOST: '127.0.0.2' };
  expect(readConfig([], env)).toMatchObject({ gatewayPort: 8080, daemonPort: 8091, gatewayHost: '127.0.0.2' });
  expect(serviceLinks(GatewayOptions, env)).toEqual(['GATEWAY_PORT', 'SVC_PORT']);
  expect(readConfig(['--port', '9000'], env).gatewayPort).toBe(9000);
});

test('a flag wins over its variable', () => {
  expect(readConfig(['--port', '9000'], { GATEWAY_PORT: '8000' }).gatewayPort).toBe(9000);
});
