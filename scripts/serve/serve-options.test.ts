import { expect, test } from 'vitest';
import { readServeOptions } from './serve-options.ts';

test('without anything the defaults hold', () => {
  expect(readServeOptions([], {})).toEqual({
    daemon: { host: '127.0.0.1', port: 8091 },
    gateway: { host: '127.0.0.1', port: 8080 },
    stopGraceSeconds: 2,
    stallSeconds: 10,
    daemonArgs: [],
    gatewayArgs: ['--host', '127.0.0.1', '--port', '8080'],
    help: false,
  });
});

test('--port and --host are the public ones and win over the variables; other flags go to the daemon as they are', () => {
  const env = {
    GATEWAY_PORT: '1',
    GATEWAY_HOST: '0.0.0.0',
    SVC_PORT: '3',
    SVC_HOST: '::1',
    SVC_STOP_GRACE_SECONDS: '7',
  };
  const options = readServeOptions(['--api-key', 'k', '--port', '2', '--host=::', '--allowed-hosts=a,b'], env);
  expect(options).toEqual({
    daemon: { host: '::1', port: 3 },
    gateway: { host: '::', port: 2 },
    stopGraceSeconds: 7,
    stallSeconds: 10,
    daemonArgs: ['--api-key', 'k', '--allowed-hosts=a,b'],
    gatewayArgs: ['--host', '::', '--port', '2'],
    help: false,
  });
});

test('the limit for a stall reaches the launcher and both services; the flag wins', () => {
  const env = { SVC_STALL_SECONDS: '20' };
  expect(readServeOptions([], env)).toMatchObject({ stallSeconds: 20, daemonArgs: [] });
  const flag = ['--stall-seconds', '5'];
  expect(readServeOptions(flag, env)).toMatchObject({
    stallSeconds: 5,
    daemonArgs: flag,
    gatewayArgs: expect.arrayContaining(flag),
  });
});

test('a flag of its own without a value is an error that names it', () => {
  expect(() => readServeOptions(['--port'], {})).toThrow('--port needs a value');
});
