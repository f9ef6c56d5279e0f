import type { NetworkPortsPort } from '../../core/ports/network-ports-port.ts';
import { Refused, sendJson } from './answers.ts';
import { readBody, TunnelBody } from './bodies.ts';
import type { CloudflareCall } from './call.ts';

/** `POST /tunnel/{port}`: the URL of the preview, which exists without being opened. */
export async function openTunnel(call: CloudflareCall, ports: NetworkPortsPort): Promise<void> {
  const port = requirePort(call.rest, ports);
  const { name } = await readBody(call.req, TunnelBody);
  const { scheme, host, sandbox, res } = call;
  sendJson(res, {
    id: `${sandbox.id}-${port}`,
    port,
    url: `${scheme}://${host}/proxy/${port}/`,
    hostname: host.replace(/:\d+$/, ''),
    ...(name !== undefined && { name }),
    createdAt: new Date().toISOString(),
  });
}

/** @throws Refused 400, 403 for a port of the product */
export function requirePort(rest: readonly string[], ports: NetworkPortsPort): number {
  const port = /^[1-9]\d{0,4}$/.test(rest[1] ?? '') && rest.length === 2 ? Number(rest[1]) : 0;
  if (port < 1 || port > 65_535) throw new Refused(400, 'Invalid port');
  if (ports.isOwn(port)) throw new Refused(403, `port ${port} belongs to the service`);
  return port;
}
