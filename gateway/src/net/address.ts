import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { WideSocket } from './wide-socket.ts';

/** Where an upstream listens: a TCP port or a unix socket. */
export type Address =
  | { readonly host: string; readonly port: number; readonly socketPath?: undefined }
  | { readonly socketPath: string; readonly host?: undefined; readonly port?: undefined };

const HOST_AND_PORT = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+)):(\d{1,5})$/;

/** An option that names an upstream: the absolute path of a unix socket, or host:port. */
export function address(): z.ZodType<Address, string> {
  return z.string().transform((text, context) => {
    const parsed = parseAddress(text);
    if (parsed) return parsed;
    context.addIssue({ code: 'custom', message: 'expected the absolute path of a unix socket, or host:port' });
    return z.NEVER;
  });
}

function parseAddress(text: string): Address | undefined {
  if (isAbsolute(text)) return { socketPath: text };
  const [, v6, name, digits] = HOST_AND_PORT.exec(text) ?? [];
  const host = v6 ?? name;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65_535 || (v6 !== undefined && isIP(v6) !== 6)) return undefined;
  return { host, port };
}

/**
 * Connect timeout for addresses of this machine, in milliseconds. The kernel accepts or refuses at once, but a gateway
 * process that is stalled on a busy machine handles the event late and must not report a timeout.
 */
const CONNECT_MS = 10_000;

/** Whether the address accepts connections. */
export function isListening(to: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo(to);
    const settle = (found: boolean): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(CONNECT_MS, () => settle(false));
    socket.once('connect', () => settle(true)).on('error', () => settle(false));
  });
}

/** Opens a connection for an upgrade; it is half-open: the end of one direction leaves the other open. */
export function connectTo(to: Address): WideSocket {
  const socket = new WideSocket({ allowHalfOpen: true });
  if (to.socketPath === undefined) {
    const options: TcpNetConnectOpts = { host: to.host, port: to.port, noDelay: true, ...loopbackLookup(to.host) };
    socket.connect(options);
  } else {
    socket.connect({ path: to.socketPath });
  }
  return socket;
}

/** Options that resolve `localhost` to 127.0.0.1, then ::1, independent of the machine's resolver (RFC 6761 §6.3). */
export function loopbackLookup(host: string | undefined): LoopbackOptions {
  return host === 'localhost' ? LOOPBACK : {};
}

type LoopbackOptions = Pick<TcpNetConnectOpts, 'lookup' | 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>;

const lookupLoopback: LookupFunction = (_hostname, _options, callback) => {
  callback(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
};

const LOOPBACK: LoopbackOptions = {
  lookup: lookupLoopback,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: CONNECT_MS,
};
