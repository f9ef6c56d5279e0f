import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Sandbox } from '../../sandbox.ts';
import type { Context } from '../command-spec.ts';
import { writeStored } from '../stored.ts';

/** The key is not an argument, since all accounts of the machine can read those. */
export async function login(context: Context): Promise<undefined> {
  const url = context.args[0] ?? 'http://localhost:8080';
  const apiKey = (await readKey(context)).trim();
  await Sandbox.connect({ url, ...(apiKey !== '' && { apiKey }) });
  const path = await writeStored({ url, ...(apiKey !== '' && { apiKey }) });
  context.print(`stored in ${path}\n`, { url, path });
}

async function readKey({ terminal: { stdin, stderr } }: Context): Promise<string> {
  if (!stdin.isTTY) return await text(stdin);
  stderr.write('key (empty: none): ');
  const lines = createInterface({ input: stdin, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
