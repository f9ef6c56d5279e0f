import { BlockList, isIP } from 'node:net';
import { OptionError } from './options.ts';

/**
 * The peers whose `X-Forwarded-*` headers are believed.
 * @param entries addresses, networks (`10.0.0.0/8`) or the word `loopback`
 * @throws OptionError that names the entry which is none of these
 */
export function trustedProxies(option: string, entries: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of entries.flatMap((item) => (item === 'loopback' ? ['127.0.0.0/8', '::1'] : [item]))) {
    const [address = '', bits] = entry.split('/', 2);
    const family = isIP(address);
    const widest = family === 4 ? 32 : 128;
    const prefix = bits === undefined ? widest : Number(bits);
    if (family === 0 || !/^\d+$/.test(bits ?? '0') || prefix > widest) {
      throw new OptionError(`${option}: expected an address, a network or "loopback", got ${JSON.stringify(entry)}`);
    }
    trusted.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    const plain = address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
    const family = isIP(plain);
    return family !== 0 && trusted.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  };
}
