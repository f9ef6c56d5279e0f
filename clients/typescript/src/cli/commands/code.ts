import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { CellOutput } from '../../notebook/cell.ts';
import type { Context } from '../command-spec.ts';
import { written } from '../written.ts';

/** Milliseconds for the end of the session. */
const END_MS = 5000;

export async function code({
  sandbox,
  args: [file],
  options,
  print,
  held,
  terminal: { stdin, stdout, stderr },
}: Context): Promise<number> {
  const source = file === undefined || file === '-' ? await text(stdin) : await readFile(file, 'utf8');
  const { language = 'python' } = options;
  const notebook = sandbox.notebook(String(language));
  const onOutput = async (output: CellOutput): Promise<void> => {
    if (options['json']) return;
    if (output.type === 'stream') await written(output.name === 'stdout' ? stdout : stderr, output.text);
    else if (output.type === 'error') await written(stderr, `${output.traceback.join('\n')}\n`);
    else await written(stdout, `${String(output.data['text/plain'] ?? Object.keys(output.data).join(', '))}\n`);
  };
  // A session that is not ended is left to the service, which ends idle ones.
  const end = (): Promise<void> => notebook.close({ signal: AbortSignal.timeout(END_MS) }).catch(() => undefined);
  const cell = { onOutput, check: false, timeout: 900, ...(!options['json'] && { maxOutput: 0 }) };
  try {
    const { images, ...result } = await held.during({ end }, () => notebook.run(source, cell));
    if (options['json']) print('', result);
    return result.status === 'ok' ? 0 : 1;
  } finally {
    await end();
  }
}
