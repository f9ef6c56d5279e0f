import { BlockList, isIP, type Socket } from 'node:net';

/** Who is at the other end of a connection. */
export interface Peer {
  /** Without the prefix of an IPv4-mapped IPv6 address; empty where the connection is already gone. */
  readonly address: string;
  /** What it says of those before it (X-Forwarded-*) is believed. */
  readonly trusted: boolean;
}

const CIDR = /^([^/]+)\/(\d{1,3})$/;

/** An IP address, a CIDR range, or the word `loopback`. */
export function isAddressBlock(text: string): boolean {
  if (text === 'loopback' || isIP(text) !== 0) return true;
  const [, address = '', bits = ''] = CIDR.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

/** @param blocks each as {@link isAddressBlock} accepts it. */
export function addressBlocks(blocks: readonly string[]): BlockList {
  const known = new BlockList();
  for (const block of blocks) {
    if (block === 'loopback') {
      known.addSubnet('127.0.0.0', 8, 'ipv4');
      known.addAddress('::1', 'ipv6');
      continue;
    }
    const [, address = block, bits] = CIDR.exec(block) ?? [];
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) known.addAddress(address, family);
    else known.addSubnet(address, Number(bits), family);
  }
  return known;
}

export function peerOf(socket: Socket, trusted: BlockList): Peer {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(address);
  return { address, trusted: family !== 0 && trusted.check(address, family === 4 ? 'ipv4' : 'ipv6') };
}
