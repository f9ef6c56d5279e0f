import { describeOptions } from '@sandbox/program/options.ts';
import { expect, test } from 'vitest';
import { GatewayOptions } from './config.ts';
import { MISSED_MAX, PING_MS } from './net/silent-peer.ts';

test('every variable has its documented default', () => {
  const defaults = describeOptions(GatewayOptions).map(({ env, fallback }) => [env, fallback]);
  expect(Object.fromEntries(defaults)).toEqual({
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: '8080',
    SVC_E2B_PORT: '',
    SVC_SWEREX_PORT: '',
    SVC_PYTHON_RUNTIME_PORT: '',
    SVC_SANDBOXD_GRPC_PORT: '',
    SVC_HOST: '127.0.0.1',
    SVC_PORT: '8091',
    BROWSER_REMOTE_DEBUGGING_HOST: '127.0.0.1',
    BROWSER_REMOTE_DEBUGGING_PORT: '9222',
    GATEWAY_VNC: '/run/svc/user/vnc.sock',
    GATEWAY_NOVNC_DIR: '/usr/share/novnc',
    DISABLE_CODE_SERVER: 'true',
    GATEWAY_CODE_SERVER: '/run/svc/user/code-server.sock',
    DISABLE_JUPYTER: 'true',
    GATEWAY_JUPYTER: '/run/svc/user/jupyter.sock',
    SVC_PREVIEW_PATH: 'open',
    SVC_COMPUTER_USE_URL: 'http://127.0.0.1:18100',
    MCP_SERVER_BROWSER_PORT: '8100',
    PROXY_FORWARD_PORT: '8101',
    SVC_TRUSTED_PROXIES: 'loopback',
    SVC_CONNECTIONS_PER_ADDRESS: '512',
    SVC_STALL_SECONDS: '10',
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
    SVC_ACCESS_LOG: 'errors',
    LOG_LEVEL: 'info',
  });
});

test('a WebSocket gets a ping every 20 s and is terminated after two missed pongs', () => {
  expect([PING_MS, MISSED_MAX]).toEqual([20_000, 2]);
});
