import type { Socket } from 'node:net';
import { plainAddress } from '@sandbox/program/trusted-proxies.ts';

/** The remote end of a connection. */
export interface Peer {
  /** Without the prefix of an IPv4-mapped IPv6 address; empty if the connection is already closed. */
  readonly address: string;
  /** Whether its X-Forwarded-* headers are trusted. */
  readonly trusted: boolean;
}

export function peerOf(socket: Socket, isTrusted: (address: string) => boolean): Peer {
  const address = plainAddress(socket.remoteAddress ?? '');
  return { address, trusted: isTrusted(address) };
}
