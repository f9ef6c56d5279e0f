import type { Socket } from 'node:net';
import { plainAddress } from '@sandbox/program/trusted-proxies.ts';

/** Who is at the other end of a connection. */
export interface Peer {
  /** Without the prefix of an IPv4-mapped IPv6 address; empty where the connection is already gone. */
  readonly address: string;
  /** What it says of those before it (X-Forwarded-*) is believed. */
  readonly trusted: boolean;
}

export function peerOf(socket: Socket, isTrusted: (address: string) => boolean): Peer {
  const address = plainAddress(socket.remoteAddress ?? '');
  return { address, trusted: isTrusted(address) };
}
