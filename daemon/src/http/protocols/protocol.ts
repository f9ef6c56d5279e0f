import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@sandbox/program/logger.ts';
import type { Credential, OwnAdmission } from '../../core/access/credential.ts';
import type { WebSocketPort } from '../streams/websocket-port.ts';

/** A request of a protocol. */
export interface ProtocolRequest {
  readonly req: IncomingMessage;
  readonly requestId: string;
  /** Path and query below the prefix of the protocol, or at one of its places; as received; begins with a slash. */
  readonly target: string;
  /** The host that the client used: X-Forwarded-Host of a trusted proxy, else `Host`. */
  readonly host: string;
  /** The scheme that the client used. */
  readonly scheme: string;
  /** Whether the key of the service admitted it; false also if the service has none. */
  readonly byKey: boolean;
  /** The id of the key that it came with, or that its credential was given to; of a service without a key that of `OPEN`. */
  readonly keyId: string;
}

/** A request of a protocol that is to be answered. */
export interface ProtocolCall extends ProtocolRequest {
  readonly res: ServerResponse;
  /** Completes the handshake of a request for a WebSocket and serves it; undefined for any other request. */
  readonly webSocket: ((serve: (port: WebSocketPort) => Promise<void>) => Promise<void>) | undefined;
}

/** A protocol that is in use. */
export interface ProtocolService extends AsyncDisposable {
  /** Answers the call. A rejection is answered as an error of the protocol if nothing was sent. */
  serve(call: ProtocolCall): void | Promise<void>;
  /**
   * Asked about a request without the key of the service, if the service has one: the key to which the protocol gave the
   * credential that it carries. What is opened ends with that key.
   */
  admits?(request: ProtocolRequest): OwnAdmission;
  /**
   * The same of the header `previewCredential` of a request for a preview, if the request has that header.
   */
  admitsPreview?(headers: IncomingHttpHeaders): Credential | undefined;
}

/** The type and the text of a body that reports an error. */
export type ProtocolRefusal = (error: { readonly status: number; readonly message: string }) => {
  readonly contentType: string;
  readonly body: string;
};

/** A route of a protocol beside its prefix. The target of its requests is their whole path. */
export interface ProtocolPlace {
  /** A path, or one that ends with a slash and `*`. */
  readonly url: string;
  /** Whether it needs no key; only without `*`. */
  readonly isPublic?: boolean;
}

/** A section of `/v1/capabilities`. */
export interface ProtocolReport {
  readonly name: string;
  readonly path: string;
  /** Port of its own at the address of the gateway; null: none. */
  readonly port: number | null;
  readonly level: string;
  readonly missing: readonly string[];
}

export interface MountedProtocol {
  readonly name: string;
  readonly prefix: string;
  readonly isServed: boolean;
  readonly places: readonly ProtocolPlace[];
  /** Header in lower case by which a credential of the protocol opens previews; undefined: none does. */
  readonly previewCredential: string | undefined;
  readonly refusal: ProtocolRefusal;
  readonly load: () => Promise<ProtocolService>;
  readonly isPending: () => boolean;
  readonly report: () => ProtocolReport;
  readonly logger: Logger;
}
