import { AsyncLocalStorage } from 'node:async_hooks';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { rpcFailure } from '../json-rpc.ts';
import { boundedFetch } from './bounded-fetch.ts';

/** Code of JSON-RPC 2.0 §5.1 for a server that does not answer as it should. */
const NO_RESPONSE = -32603;

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** Whether the answer to a message continues after its head. */
interface Answer {
  isStream: boolean;
}

/**
 * Streamable HTTP in which a request whose answer has ended without its response fails at once: the SDK waits for the
 * response until the request times out.
 */
export class AnsweredTransport extends StreamableHTTPClientTransport {
  readonly #answers: AsyncLocalStorage<Answer>;

  constructor(url: URL) {
    const answers = new AsyncLocalStorage<Answer>();
    const noticing = async (address: string | URL, init?: RequestInit): Promise<Response> => {
      const response = await boundedFetch(address, init);
      const answer = answers.getStore();
      if (answer) answer.isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      return response;
    };
    super(url, { fetch: noticing });
    this.#answers = answers;
  }

  override async send(message: JSONRPCMessage, options: SendOptions = {}): Promise<void> {
    if (!isJSONRPCRequest(message)) return await super.send(message, options);
    const fail = (): void => {
      // Where the response has come, this one is of no known request, and is left out.
      this.onmessage?.(rpcFailure(message.id, NO_RESPONSE, 'it answered without a response') as JSONRPCMessage);
    };
    const onRequestStreamEnd = (): void => {
      options.onRequestStreamEnd?.();
      fail();
    };
    const answer: Answer = { isStream: false };
    await this.#answers.run(answer, () => super.send(message, { ...options, onRequestStreamEnd }));
    if (!answer.isStream) fail();
  }
}
