import type { IncomingHttpHeaders } from 'node:http';
import type { LoadedProtocol } from './loaded-protocol.ts';

/** The credentials of protocols that open previews. */
export class PreviewCredentials {
  readonly #protocols: readonly LoadedProtocol[];

  /** @param protocols read at each request */
  constructor(protocols: readonly LoadedProtocol[]) {
    this.#protocols = protocols;
  }

  /** The header of a request for a preview that has such a credential; undefined: none. */
  async validField(headers: IncomingHttpHeaders): Promise<string | undefined> {
    for (const protocol of this.#protocols) {
      const { isServed, previewCredential } = protocol.mounted;
      if (!isServed || previewCredential === undefined || headers[previewCredential] === undefined) continue;
      const service = await protocol.service();
      if (service.admitsPreview?.(headers)) return previewCredential;
    }
    return undefined;
  }
}
