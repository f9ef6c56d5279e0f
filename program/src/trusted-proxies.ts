import { BlockList, isIP } from 'node:net';
import type { z } from 'zod';
import { list } from './options.ts';

const NETWORK = /^([^/]+)\/(\d{1,3})$/;

/** An option with a list of peers: addresses, networks (`10.0.0.0/8`) or the word `loopback`. */
export function trustedProxies(): z.ZodType<string[], string> {
  return list().refine(
    (blocks) => blocks.every(isAddressBlock),
    'expected addresses, networks (10.0.0.0/8) or the word loopback',
  );
}

/** Whether a text is an address, a network, or the word `loopback`. */
export function isAddressBlock(text: string): boolean {
  if (text === 'loopback' || isIP(text) !== 0) return true;
  const [, address = '', bits = ''] = NETWORK.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

/** Creates a test whether an address is in one of the blocks, which `isAddressBlock` must accept. */
export function addressTest(blocks: readonly string[]): (address: string) => boolean {
  const known = new BlockList();
  for (const block of blocks.flatMap((item) => (item === 'loopback' ? ['127.0.0.0/8', '::1'] : [item]))) {
    const [, address = block, bits] = NETWORK.exec(block) ?? [];
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) known.addAddress(address, family);
    else known.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && known.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  };
}

/**
 * Trust of a daemon in proxies. The gateway is no entry of the list: it connects from an address of this machine, as the
 * nearest hop, and forwards only headers of peers that it trusts by the same list.
 * @param listenHost address that the daemon listens on, which a gateway without loopback connects from
 */
export function proxyTrust(blocks: readonly string[], listenHost: string): (address: string, hop?: number) => boolean {
  const isListed = addressTest(blocks);
  const isOwn = addressTest(isIP(listenHost) === 0 ? ['loopback'] : ['loopback', listenHost]);
  return (address, hop = 0) => isListed(address) || (hop === 0 && isOwn(address));
}

/** The path prefix in an X-Forwarded-Prefix header, without a trailing slash; empty if it is absent or no path. */
export function forwardedPrefix(header: string | readonly string[] | undefined): string {
  const [first = ''] = String(header ?? '').split(',', 1);
  const prefix = first.trim();
  if (!/^\/[\w.~/-]*$/.test(prefix) || prefix.startsWith('//')) return '';
  let end = prefix.length;
  while (prefix[end - 1] === '/') end -= 1;
  return prefix.slice(0, end);
}

/** Removes the prefix of an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
