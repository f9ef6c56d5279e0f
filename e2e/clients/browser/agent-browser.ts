import type { Sandbox } from '../../images/sandbox.ts';
import type { Hands } from './task.ts';

let sessions = 0;

/** agent-browser of the image, in a session of its own in the sandbox; it reaches the browser by the public port. */
export async function agentBrowserHands(sandbox: Sandbox, endpoint: string): Promise<Hands> {
  sessions += 1;
  const session = `clients-${sessions}`;
  const run = async (...words: readonly string[]): Promise<string> => {
    const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const command = `agent-browser --session ${session} ${quoted}`;
    const { stdout, stderr, exit_code } = await sandbox.run(command, { timeout: 120 });
    if (exit_code !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
    return stdout;
  };
  /** The reference of an element in a fresh snapshot. */
  const refOf = async (name: string): Promise<string> => {
    const snapshot = await run('snapshot', '-i');
    const [, ref] = new RegExp(`"${name}"[^\\n]*\\bref=(\\w+)`).exec(snapshot) ?? [];
    if (ref === undefined) throw new Error(`no "${name}" in ${snapshot}`);
    return `@${ref}`;
  };
  await run('connect', endpoint);
  await run('tab', 'new');
  return {
    open: async (url) => void (await run('open', url)),
    fill: async (label, text) => void (await run('fill', await refOf(label), text)),
    choose: async (label, option) => void (await run('select', await refOf(label), option)),
    press: async (name) => void (await run('click', await refOf(name))),
    pressInFrame: async (name) => void (await run('click', await refOf(name))),
    pressAndAccept: async (name) => {
      await run('click', await refOf(name)).catch(() => '');
      await run('dialog', 'accept').catch(() => '');
    },
    attach: async (_label, path) => void (await run('upload', 'input[type=file]', path)),
    scroll: async () => void (await run('scroll', 'down', '5000')),
    back: async () => void (await run('back')),
    forward: async () => void (await run('forward')),
    text: () => run('get', 'text', 'body'),
    close: async () => {
      await run('tab', 'close');
      await run('close');
    },
  };
}
