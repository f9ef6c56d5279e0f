import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { type Context, UsageError } from '../command-spec.ts';
import { numberOf } from './run.ts';

/** Seconds for which a link that is opened is valid. */
const LINK_SECONDS = 60;
/** Programs that open an address, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer' };

export async function info({ sandbox, print }: Context): Promise<undefined> {
  const all = await sandbox.info();
  const rows = (['version', 'hostname', 'os', 'arch', 'user', 'homeDir'] as const).map(
    (name) => `${name}: ${all[name]}\n`,
  );
  print(rows.join(''), all);
}

export async function port({
  sandbox,
  args: [text = ''],
  options,
  print,
  terminal: { env },
}: Context): Promise<undefined> {
  const number = portOf(text);
  if (!options['open']) {
    const url = sandbox.url(number);
    print(`${url}\n`, { url });
    return;
  }
  const { url } = await sandbox.ticket(`/proxy/${number}/`, { ttl: LINK_SECONDS });
  print(`${url}\n`, { url });
  await openLink(env['BROWSER'] || OPENERS[process.platform] || 'xdg-open', url);
}

/** @throws UsageError */
export function portOf(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= 65_535) return number;
  throw new UsageError(`not a port: ${text}`);
}

/** Shows an address in the browser of this machine. @throws Error if it has no program for it */
async function openLink(opener: string, url: string): Promise<void> {
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  await once(child, 'spawn').catch(() => {
    throw new Error(`${opener} was not found: open the address yourself`);
  });
  child.unref();
}

export async function doctor({ sandbox, print }: Context): Promise<number> {
  const checks = await sandbox.checks();
  const rows = checks.map(({ ok, required, name, detail, hint }) => {
    const outcome = ok ? 'ok' : required ? 'failed' : 'absent';
    return `${outcome.padEnd(6)}  ${name}: ${detail}${ok || hint === undefined ? '' : `\n        ${hint}`}\n`;
  });
  print(rows.join(''), checks);
  return checks.some(({ ok, required }) => required && !ok) ? 1 : 0;
}

export async function ticket({ sandbox, args: [path = ''], options, print }: Context): Promise<undefined> {
  const terms = { ttl: numberOf('ttl', options['ttl']), uses: numberOf('uses', options['uses']) };
  const made = await sandbox.ticket(path, terms);
  print(`${made.url}\n`, made);
}
