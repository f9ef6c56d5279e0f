import { readResources } from '@sandbox/program/resources/read-resources.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { requestHeaders } from '../exchange/headers.ts';
import type { Address } from '../net/address.ts';
import { hasListener } from '../net/listeners.ts';
import { listeningPorts } from '../net/listening-ports.ts';
import type { Services } from '../services.ts';
import type { ApplicationState, SandboxState } from './state-fields.ts';

/** @throws the connection's error if the daemon does not respond */
export async function sandboxState(exchange: Exchange, services: Services): Promise<SandboxState> {
  const { upstream, version, isOwnPort, desktop, codeServer, jupyter, browser } = services;
  const [health, resources, ports, onDesktop, onCode, onJupyter, onBrowser] = await Promise.all([
    upstream.get('/health', requestHeaders(exchange, upstream.authority)),
    readResources(),
    listeningPorts(),
    stateOf(desktop.address),
    stateOf(codeServer.address),
    stateOf(jupyter.address),
    stateOf(browser.address),
  ]);
  const { status, version: daemonVersion, uptime_seconds: uptime } = parseObject(health.body);
  return {
    version,
    daemon: {
      status: typeof status === 'string' ? status : 'unknown',
      version: typeof daemonVersion === 'string' ? daemonVersion : 'unknown',
      uptime_seconds: typeof uptime === 'number' ? uptime : null,
    },
    applications: { desktop: onDesktop, 'code-server': onCode, jupyter: onJupyter, browser: onBrowser },
    ports: ports.filter((port) => !isOwnPort(port)),
    resources,
  };
}

async function stateOf(address: Address | undefined): Promise<ApplicationState> {
  if (address === undefined) return 'off';
  return (await hasListener(address)) ? 'running' : 'stopped';
}

/** The JSON object of a response, or its `data` if the object is an envelope; empty for anything else. */
function parseObject(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (!isRecord(value)) return {};
    return isRecord(value['data']) ? value['data'] : value;
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
