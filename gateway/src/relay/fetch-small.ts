import { type Agent, type IncomingMessage, request } from 'node:http';
import type { FlatHeaders } from '../exchange/headers.ts';
import { type Address, loopbackLookup } from '../net/address.ts';

interface Question {
  readonly to: Address;
  readonly agent: Agent;
  readonly method: string;
  readonly path: string;
  readonly headers: FlatHeaders;
  readonly body?: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Bytes of the answer's body. */
  readonly maxBytes: number;
}

interface SmallResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/**
 * A short request, and its whole answer.
 * @throws the client's error where none comes in time; RangeError where it is too long.
 */
export function fetchSmall({ to, timeoutMs, maxBytes, body, ...question }: Question): Promise<SmallResponse> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const { host, port, socketPath } = to;
    const place = socketPath === undefined ? { host, port } : { socketPath };
    const options = { ...question, ...place, ...loopbackLookup(host), setHost: false, signal };
    const outgoing = request(options, (answer) => {
      readWhole(answer, maxBytes).then(
        (whole) => resolve({ status: answer.statusCode ?? 502, headers: answer.rawHeaders, body: whole }),
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

async function readWhole(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new RangeError(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
