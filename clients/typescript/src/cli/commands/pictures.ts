import { writeFile } from 'node:fs/promises';
import { type Context, UsageError } from '../command-spec.ts';
import { written } from '../written.ts';

export async function browser(context: Context): Promise<undefined> {
  const { sandbox, args, print } = context;
  const [action = '', target] = args;
  if (action === 'open') {
    if (target === undefined) throw new UsageError('browser open: an address is missing');
    const page = await sandbox.browser.open(target);
    print(`${page.id}\n`, { id: page.id });
    return undefined;
  }
  const [page] = await sandbox.browser.pages();
  if (!page) throw new UsageError('the browser has no page: sandbox browser open URL opens one');
  if (action === 'snapshot') {
    const snapshot = await page.snapshot();
    print(`${snapshot.snapshot}\n`, snapshot);
  } else if (action === 'screenshot') await save(context, target, await page.screenshot());
  else throw new UsageError(`not open, snapshot or screenshot: ${action}`);
  return undefined;
}

export async function desktop(context: Context): Promise<undefined> {
  const { sandbox, args, print } = context;
  const [action = '', target] = args;
  if (action === 'screenshot') await save(context, target, await sandbox.desktop.screenshot());
  else if (action === 'record') {
    const step = target ?? 'status';
    if (step !== 'start' && step !== 'stop' && step !== 'status') {
      throw new UsageError(`desktop record: not start, stop or status: ${step}`);
    }
    const recording = await sandbox.desktop.record(step);
    print(`${JSON.stringify(recording)}\n`, recording);
  } else throw new UsageError(`not screenshot or record: ${action}`);
  return undefined;
}

/** To a file; without one to stdout, unless that is a terminal. */
async function save(
  { print, terminal: { stdout } }: Context,
  file: string | undefined,
  bytes: Uint8Array,
): Promise<void> {
  if (file !== undefined) {
    await writeFile(file, bytes);
    print(`${file}\n`, { file, bytes: bytes.length });
    return;
  }
  if (stdout.isTTY) throw new UsageError('name a file for the picture, or send it to a program');
  await written(stdout, bytes);
}
