import { isIP } from 'node:net';
import type { AccessLog } from '@sandbox/program/access-lines.ts';
import { stallSeconds } from '@sandbox/program/heartbeat/stall-option.ts';
import type { LogLevel } from '@sandbox/program/logger.ts';
import { boolean, named, port, readOptions, wholeNumber } from '@sandbox/program/options.ts';
import { E2B_DOOR, type ProtocolDoor, PYTHON_RUNTIME_DOOR, SWE_REX_DOOR } from '@sandbox/program/protocol-doors.ts';
import type { StrangerLimits } from '@sandbox/program/server/strangers.ts';
import { accessLog, connectionsPerAddress, logLevel } from '@sandbox/program/service-options.ts';
import { otlpEndpoint } from '@sandbox/program/tracing/otlp-option.ts';
import { addressTest, trustedProxies } from '@sandbox/program/trusted-proxies.ts';
import { z } from 'zod';
import { type Address, address } from './net/address.ts';

const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '::1' };

const HOST = /^(?:[\w.-]+|\[?[0-9A-Fa-f:.]+\]?)$/;
const PREVIEW_PATHS = ['open', 'isolated', 'off'] as const;

export const GatewayOptions = z.object({
  gatewayHost: named(z.string().default('127.0.0.1'), {
    env: 'GATEWAY_HOST',
    flag: 'host',
    description: 'Address the gateway listens on.',
  }),
  gatewayPort: named(port().default(8080), {
    env: 'GATEWAY_PORT',
    flag: 'port',
    description: 'Port the gateway listens on; 0 selects a free one.',
  }),
  daemonHost: named(z.string().regex(HOST, 'expected a host name or an IP address').default('127.0.0.1'), {
    env: 'SVC_HOST',
    flag: 'daemon-host',
    description: "The daemon's address; a wildcard means loopback.",
  }),
  daemonPort: named(wholeNumber(1, 65_535).default(8091), {
    env: 'SVC_PORT',
    flag: 'daemon-port',
    description: "The daemon's port.",
  }),
  browserHost: named(z.string().regex(HOST, 'expected a host name or an IP address').default('127.0.0.1'), {
    env: 'BROWSER_REMOTE_DEBUGGING_HOST',
    flag: 'browser-host',
    description: "Host of the browser's DevTools, served at /cdp.",
  }),
  browserPort: named(wholeNumber(1, 65_535).default(9222), {
    env: 'BROWSER_REMOTE_DEBUGGING_PORT',
    flag: 'browser-port',
    description: "Port of the browser's DevTools.",
  }),
  vnc: named(address().prefault('/run/svc/user/vnc.sock'), {
    env: 'GATEWAY_VNC',
    flag: 'vnc',
    description: 'RFB server behind /websockify: path of a unix socket, or host:port.',
  }),
  novncDir: named(z.string().startsWith('/', 'expected an absolute path').default('/usr/share/novnc'), {
    env: 'GATEWAY_NOVNC_DIR',
    flag: 'novnc-dir',
    description: "Directory of noVNC's pages, served at /vnc/.",
  }),
  disableCodeServer: named(boolean().default(true), {
    env: 'DISABLE_CODE_SERVER',
    flag: 'disable-code-server',
    description: 'false serves code-server at /code-server/.',
  }),
  codeServer: named(address().prefault('/run/svc/user/code-server.sock'), {
    env: 'GATEWAY_CODE_SERVER',
    flag: 'code-server',
    description: 'Address of code-server: path of a unix socket, or host:port.',
  }),
  disableJupyter: named(boolean().default(true), {
    env: 'DISABLE_JUPYTER',
    flag: 'disable-jupyter',
    description: 'false serves JupyterLab at /jupyter/.',
  }),
  jupyter: named(address().prefault('/run/svc/user/jupyter.sock'), {
    env: 'GATEWAY_JUPYTER',
    flag: 'jupyter',
    description: 'Address of JupyterLab with base_url /jupyter/: path of a unix socket, or host:port.',
  }),
  previewPath: named(z.enum(PREVIEW_PATHS, { error: `expected one of ${PREVIEW_PATHS.join(', ')}` }).default('open'), {
    env: 'SVC_PREVIEW_PATH',
    flag: 'preview-path',
    description: 'Previews at /proxy/ and /absproxy/: open, isolated (each page in a sandbox of its own) or off.',
  }),
  computerUseUrl: named(z.url('expected a URL').default('http://127.0.0.1:18100'), {
    env: 'SVC_COMPUTER_USE_URL',
    flag: 'computer-use-url',
    description: 'URL of the desktop worker; its port is never previewed.',
  }),
  browserMcpPort: named(wholeNumber(1, 65_535).default(8100), {
    env: 'MCP_SERVER_BROWSER_PORT',
    flag: 'browser-mcp-port',
    description: 'Port of the browser MCP server; never previewed.',
  }),
  proxyForwardPort: named(wholeNumber(1, 65_535).default(8101), {
    env: 'PROXY_FORWARD_PORT',
    flag: 'proxy-forward-port',
    description: "Port of the image's way to a proxy with a password; never previewed.",
  }),
  e2bPort: named(wholeNumber(1, 65_535).optional(), {
    env: 'SVC_E2B_PORT',
    flag: 'e2b-port',
    description: "Port of a listener of its own for E2B's clients, such as 49983; unset: none.",
  }),
  sweRexPort: named(wholeNumber(1, 65_535).optional(), {
    env: 'SVC_SWEREX_PORT',
    flag: 'swerex-port',
    description: 'Port of a listener of its own for clients of SWE-ReX, such as 8000; unset: none.',
  }),
  sandboxdGrpcPort: named(wholeNumber(1, 65_535).optional(), {
    env: 'SVC_SANDBOXD_GRPC_PORT',
    flag: 'sandboxd-grpc-port',
    description: 'Port of a listener for gRPC of agent-sandbox (HTTP/2 without TLS), such as 9090; unset: none.',
  }),
  pythonRuntimePort: named(wholeNumber(1, 65_535).optional(), {
    env: 'SVC_PYTHON_RUNTIME_PORT',
    flag: 'python-runtime-port',
    description: "Port of a listener of its own for agent-sandbox's older runtime API, such as 8888; unset: none.",
  }),
  trustedProxies: named(trustedProxies().default(['loopback']), {
    env: 'SVC_TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    description: 'Addresses and networks of proxies with trusted X-Forwarded-* headers; comma separated.',
  }),
  connectionsPerAddress: connectionsPerAddress(),
  stallSeconds: stallSeconds(),
  accessLog: accessLog(),
  logLevel: logLevel(),
  otlpEndpoint: otlpEndpoint(),
});

export interface GatewayConfig {
  readonly gatewayHost: string;
  readonly gatewayPort: number;
  /** Host to connect to: never a wildcard; an IPv6 address has no brackets. */
  readonly daemonHost: string;
  readonly daemonPort: number;
  readonly isTrusted: (address: string) => boolean;
  readonly strangers: StrangerLimits;
  readonly stallSeconds: number;
  /** Base URL of an OTLP/HTTP collector. */
  readonly otlpEndpoint: string | undefined;
  readonly accessLog: AccessLog;
  readonly logLevel: LogLevel;
  readonly browser: Address;
  readonly vnc: Address;
  readonly novncDir: string;
  /** Undefined if disabled. */
  readonly codeServer: Address | undefined;
  /** Undefined if disabled. */
  readonly jupyter: Address | undefined;
  readonly previewPath: (typeof PREVIEW_PATHS)[number];
  /** Listeners of protocols, beside the public port. */
  readonly doors: readonly { readonly port: number; readonly door: ProtocolDoor }[];
  /** Port of the listener for gRPC; undefined: none. */
  readonly grpcPort: number | undefined;
  /** Ports of the product besides the gateway's own; no preview reaches them. */
  readonly ownPorts: ReadonlySet<number>;
}

/** @throws OptionError naming the first invalid option */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): GatewayConfig {
  const options = readOptions(GatewayOptions, argv, env);
  const { gatewayHost, gatewayPort, daemonPort, vnc, novncDir, previewPath } = options;
  return {
    gatewayHost,
    gatewayPort,
    daemonHost: connectable(options.daemonHost),
    daemonPort,
    isTrusted: addressTest(options.trustedProxies),
    strangers: {
      perAddress: options.connectionsPerAddress,
      isExempt: addressTest(options.trustedProxies.filter((block) => block !== 'loopback')),
    },
    stallSeconds: options.stallSeconds,
    otlpEndpoint: options.otlpEndpoint,
    accessLog: options.accessLog,
    logLevel: options.logLevel,
    browser: { host: connectable(options.browserHost), port: options.browserPort },
    vnc,
    novncDir,
    codeServer: options.disableCodeServer ? undefined : options.codeServer,
    jupyter: options.disableJupyter ? undefined : options.jupyter,
    previewPath,
    doors: doorsOf(options),
    grpcPort: options.sandboxdGrpcPort,
    ownPorts: ownPorts(options),
  };
}

function doorsOf(options: z.infer<typeof GatewayOptions>): GatewayConfig['doors'] {
  const { e2bPort, sweRexPort, pythonRuntimePort } = options;
  const all = [
    { port: e2bPort, door: E2B_DOOR },
    { port: sweRexPort, door: SWE_REX_DOOR },
    { port: pythonRuntimePort, door: PYTHON_RUNTIME_DOOR },
  ];
  return all.flatMap(({ port: own, door }) => (own === undefined ? [] : [{ port: own, door }]));
}

function ownPorts(options: z.infer<typeof GatewayOptions>): ReadonlySet<number> {
  const addresses = [options.vnc, options.codeServer, options.jupyter].flatMap(({ port: tcp }) => tcp ?? []);
  const worker = Number(new URL(options.computerUseUrl).port || 80);
  const { daemonPort, browserPort, browserMcpPort, proxyForwardPort, sandboxdGrpcPort } = options;
  const listeners = [...doorsOf(options).map(({ port: own }) => own), ...(sandboxdGrpcPort ? [sandboxdGrpcPort] : [])];
  return new Set([daemonPort, browserPort, browserMcpPort, proxyForwardPort, worker, ...addresses, ...listeners]);
}

function connectable(host: string): string {
  const loopback = WILDCARDS[host];
  if (loopback) return loopback;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 6 ? bare : host;
}
