import type { Header } from '../../daemon/src/core/files/tar/tar-header.ts';

/** Raw bytes to the public port and to the daemon's. */
export interface BytesAttack {
  readonly kind: 'bytes';
  readonly name: string;
  /** latin1. `\n` in a head is written as it stands; the line `X-API-Key: KEY` gets the key, or goes without one. */
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
  /** An answer with status 200 must say that the call has failed. */
  readonly mustFail?: boolean;
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

/** A message of the DevTools protocol to a browser. */
export interface DevToolsMessage {
  readonly id: number;
  readonly method: string;
  readonly sessionId?: string;
}

/** A call while the browser answers as it likes. */
export interface BrowserAttack extends Pick<CallAttack, 'name' | 'method' | 'path' | 'body' | 'statuses' | 'mustFail'> {
  readonly kind: 'browser';
  /** latin1, the answer to every request of HTTP; default: one that names the WebSocket. */
  readonly discovery?: string;
  /** Texts that are sent for a message on the WebSocket; default: an empty result. */
  readonly reply?: (message: DevToolsMessage) => readonly string[];
}

/** Another MCP server that answers with raw bytes, in latin1, to a call of its tool or to a list of its tools. */
export interface UpstreamAttack {
  readonly kind: 'upstream';
  readonly name: string;
  readonly call?: (id: number) => string;
  readonly list?: (id: number) => string;
  /** What the client of the hub gets. */
  readonly gets: RegExp;
}

/** A call while the computer-use worker answers it with raw bytes, in latin1. */
export interface WorkerAttack extends Pick<CallAttack, 'name' | 'method' | 'path' | 'body' | 'statuses'> {
  readonly kind: 'worker';
  readonly answer: string;
}

export type Attack =
  | BytesAttack
  | ApplicationAttack
  | CallAttack
  | ArchiveAttack
  | BrowserAttack
  | UpstreamAttack
  | WorkerAttack;
