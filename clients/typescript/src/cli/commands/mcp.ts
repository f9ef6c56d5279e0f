import { createInterface } from 'node:readline';
import { textOfAnswer } from '../../core/body.ts';
import type { Context } from '../command-spec.ts';
import { written } from '../written.ts';

/** Passes each message of stdin to /mcp, and each answer to stdout. Calls run side by side. */
export async function mcp({ sandbox, terminal: { stdin, stdout } }: Context): Promise<undefined> {
  const { url, headers } = await sandbox.tools('mcp');
  const running = new Set<Promise<void>>();
  for await (const line of createInterface({ input: stdin })) {
    if (line.trim() === '') continue;
    const answered = answer(url, headers, line).then((text) =>
      text === '' ? undefined : written(stdout, `${text}\n`),
    );
    running.add(answered);
    void answered.finally(() => running.delete(answered));
  }
  await Promise.all(running);
}

async function answer(url: string, headers: Readonly<Record<string, string>>, message: string): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      // The key is not sent to another address.
      redirect: 'manual',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body: message,
    });
    const text = (await textOfAnswer({ response, touch: () => undefined, [Symbol.dispose]: () => undefined }))
      .replaceAll('\n', ' ')
      .trim();
    return response.ok ? text : failure(message, `HTTP ${response.status}: ${text.slice(0, 500)}`);
  } catch (error) {
    return failure(message, error instanceof Error ? error.message : String(error));
  }
}

/** An error for a request; a notification gets none. */
function failure(message: string, text: string): string {
  const { id } = idOf(message);
  if (id === undefined) return '';
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: text } });
}

function idOf(message: string): { readonly id?: unknown } {
  try {
    return JSON.parse(message) as { readonly id?: unknown };
  } catch {
    return {};
  }
}
