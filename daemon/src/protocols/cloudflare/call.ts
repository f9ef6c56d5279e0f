import type { ProtocolCall } from '../../http/protocols/protocol.ts';
import type { SandboxRecord, SessionRecord } from './state.ts';

/** A request whose sandbox and session are known. */
export interface CloudflareCall extends ProtocolCall {
  readonly sandbox: SandboxRecord;
  readonly session: SessionRecord | undefined;
  /** Parts of the path below the sandbox, as received. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  /** Fires when the client has left before its answer was sent. */
  readonly gone: AbortSignal;
}
