import type { IncomingHttpHeaders } from 'node:http';
import type { Credential } from '../../core/access/credential.ts';
import type { LoadedProtocol } from './loaded-protocol.ts';

/** A credential of a protocol that a request for a preview carries. */
export interface PreviewCredential {
  /** The header that has it, in lower case. */
  readonly field: string;
  /** Of the key that it was given to. */
  readonly credential: Credential;
}

/** The credentials of protocols that open previews. */
export class PreviewCredentials {
  readonly #protocols: readonly LoadedProtocol[];

  /** @param protocols read at each request */
  constructor(protocols: readonly LoadedProtocol[]) {
    this.#protocols = protocols;
  }

  /** What opens a request for a preview beside a key; undefined: nothing. */
  async find(headers: IncomingHttpHeaders): Promise<PreviewCredential | undefined> {
    for (const protocol of this.#protocols) {
      const { isServed, previewCredential } = protocol.mounted;
      if (!isServed || previewCredential === undefined || headers[previewCredential] === undefined) continue;
      const service = await protocol.service();
      const credential = service.admitsPreview?.(headers);
      if (credential) return { field: previewCredential, credential };
    }
    return undefined;
  }
}
