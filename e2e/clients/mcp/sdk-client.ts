import { type ClientOptions, Client as SdkClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Address, Call, Client, Session } from './calls.ts';

/** The official TypeScript SDK, with these options. */
export function sdkClient(options: ClientOptions): Client {
  return async ({ url, key }: Address, calls: readonly Call[]): Promise<Session> => {
    const client = new SdkClient({ name: 'clients', version: '1' }, options);
    const headers: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    const results = [];
    for (const { tool, args } of calls) {
      const { content, isError } = await client.callTool({ name: tool, arguments: args }, { timeout: 120_000 });
      results.push(seenIn({ content, isError }));
    }
    await client.close();
    return { names: tools.map(({ name }) => name), results };
  };
}

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean | undefined;
}

export function seenIn({ content, isError }: Result): Session['results'][number] {
  return {
    text: content.map(({ text }) => text ?? '').join('\n'),
    isError: isError ?? false,
    images: content.filter(({ type }) => type === 'image').length,
  };
}
