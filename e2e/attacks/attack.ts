import type { Header } from '../../daemon/src/capabilities/files/tar/header.ts';

/** Raw bytes to the public port and to the daemon's. */
export interface BytesAttack {
  readonly kind: 'bytes';
  readonly name: string;
  /** latin1. `\n` in a head is written as it stands. */
  readonly send: string;
  /** The client ends its half after the bytes. */
  readonly halfClose?: boolean;
  /** What the attacker gets, in latin1. */
  readonly gets: RegExp;
  /** Services that it is sent to; default: both. */
  readonly to?: 'gateway' | 'daemon';
}

/** An application in a preview that answers with raw bytes. */
export interface ApplicationAttack {
  readonly kind: 'application';
  readonly name: string;
  /** latin1; an empty answer closes the connection. */
  readonly answer: string;
  readonly request?: 'plain' | 'upgrade' | 'upload';
  readonly gets: RegExp;
}

/** A call of the API. */
export interface CallAttack {
  readonly kind: 'call';
  readonly name: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `DIR` becomes a directory of the attack. */
  readonly path: string;
  readonly body?: object | string;
  /** How many at once. */
  readonly times?: number;
  readonly statuses: readonly number[];
}

/** An archive that is imported into a new directory. */
export interface ArchiveAttack {
  readonly kind: 'archive';
  readonly name: string;
  readonly entries: readonly (Partial<Omit<Header, 'name' | 'link'>> & {
    readonly name: string;
    readonly link?: string;
    readonly body?: string;
  })[];
  readonly statuses: readonly number[];
}

export type Attack = BytesAttack | ApplicationAttack | CallAttack | ArchiveAttack;
