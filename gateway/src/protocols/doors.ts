import { PROTOCOL_DOORS, type ProtocolDoor } from '@sandbox/program/protocol-doors.ts';
import type { PreviewTarget } from '../apps/preview-port.ts';
import { publicHost } from '../exchange/app-headers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { parseTarget } from '../exchange/target.ts';

/** A request through the door of a protocol: for its routes on the daemon, or for a port of the sandbox. */
export type Entered =
  | { readonly exchange: Exchange; readonly preview?: undefined }
  | { readonly exchange?: undefined; readonly preview: PreviewTarget };

const PORT = /^[1-9]\d{0,4}$/;

/**
 * The protocol of a request by the listener that it arrived at, else by its host; undefined: none. Neither is an access
 * decision: the daemon judges host, origin and credentials of what it gets.
 */
export function enter(exchange: Exchange, listener: ProtocolDoor | undefined): Entered | undefined {
  const door = listener ?? doorOfHost(exchange);
  if (!door) return undefined;
  const { target, req } = exchange;
  const field = door.portHeader === undefined ? undefined : req.headers[door.portHeader];
  if (field !== undefined && !door.ownPorts?.includes(String(field).trim())) return previewOf(exchange, String(field));
  if (isBelow(target.path, door.prefix)) return { exchange };
  const inside = parseTarget(door.prefix + target.raw, undefined);
  return { exchange: inside ? { ...exchange, target: inside } : exchange };
}

function doorOfHost(exchange: Exchange): ProtocolDoor | undefined {
  const host = publicHost(exchange).toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  return PROTOCOL_DOORS.find((door) => door.host?.test(host));
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function previewOf({ target }: Exchange, field: string): Entered {
  const text = field.trim();
  const port = PORT.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
  const authTarget = `/proxy/${port ?? '-'}${target.raw}`;
  return { preview: { port, form: 'header', prefix: '', path: target.path, authTarget } };
}
