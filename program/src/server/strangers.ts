import { isIPv6, type Socket } from 'node:net';
import { plainAddress } from '../trusted-proxies.ts';

export interface StrangerLimits {
  /** Connections of one address that have shown no valid credential; 0: no limit. */
  readonly perAddress: number;
  /** Addresses of proxies, which stand for many clients. */
  readonly isExempt: (address: string) => boolean;
}

/** The open connections that have shown no valid credential, oldest first. */
export class Strangers {
  readonly #limits: StrangerLimits;
  readonly #byAddress = new Map<string, Set<Socket>>();
  /** The address as counted, which a closed socket does not know any more. */
  readonly #all = new Map<Socket, string>();

  constructor(limits: StrangerLimits) {
    this.#limits = limits;
  }

  hasRoom(address: string): boolean {
    const { perAddress, isExempt } = this.#limits;
    if (perAddress === 0 || isExempt(address)) return true;
    return (this.#byAddress.get(countedAs(address))?.size ?? 0) < perAddress;
  }

  /** A connection of an exempt address is never one of a stranger. */
  add(socket: Socket, address: string): void {
    if (this.#limits.isExempt(address)) return;
    const counted = countedAs(address);
    this.#all.set(socket, counted);
    const own = this.#byAddress.get(counted);
    if (own) own.add(socket);
    else this.#byAddress.set(counted, new Set([socket]));
  }

  /** The connection has closed, or has shown a valid credential. */
  delete(socket: Socket): void {
    const counted = this.#all.get(socket);
    if (counted === undefined) return;
    this.#all.delete(socket);
    const own = this.#byAddress.get(counted);
    own?.delete(socket);
    if (own?.size === 0) this.#byAddress.delete(counted);
  }

  of(address: string): Iterable<Socket> {
    return this.#byAddress.get(countedAs(address)) ?? [];
  }

  all(): Iterable<Socket> {
    return this.#all.keys();
  }
}

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** One client has a whole /64 network of IPv6 (RFC 6177 §2), so that its addresses count as one. */
export function countedAs(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : GROUPS - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS).join(':');
}
