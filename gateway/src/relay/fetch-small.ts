import { type Agent, type IncomingMessage, request } from 'node:http';
import { CollectedBytes } from '@sandbox/program/collected-bytes.ts';
import type { FlatHeaders } from '../exchange/headers.ts';
import { type Address, loopbackLookup } from '../net/address.ts';

interface SmallRequest {
  readonly to: Address;
  readonly agent: Agent;
  readonly method: string;
  readonly path: string;
  readonly headers: FlatHeaders;
  readonly body?: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Limit of the response body, in bytes. */
  readonly maxBytes: number;
}

/** A complete response. */
export interface SmallResponse {
  readonly status: number;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/**
 * Sends a request and reads the complete response.
 * @throws AbortError after `timeoutMs`, RangeError for a body over `maxBytes`, the connection's error otherwise
 */
export function fetchSmall({ to, timeoutMs, maxBytes, body, ...message }: SmallRequest): Promise<SmallResponse> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const { host, port, socketPath } = to;
    const address = socketPath === undefined ? { host, port } : { socketPath };
    const options = { ...message, ...address, ...loopbackLookup(host), setHost: false, signal };
    const outgoing = request(options, (response) => {
      readWhole(response, maxBytes).then(
        (whole) => resolve({ status: response.statusCode ?? 502, headers: response.rawHeaders, body: whole }),
        (error: unknown) => {
          outgoing.destroy();
          reject(error);
        },
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function readWhole(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const received = new CollectedBytes();
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received.add(chunk);
    if (received.length > maxBytes) throw new RangeError(`response longer than ${maxBytes} bytes`);
  }
  return received.take();
}
