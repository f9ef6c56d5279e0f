import { type Context, UsageError } from '../command-spec.ts';
import { numberOf } from './run.ts';

export async function info({ sandbox, print }: Context): Promise<undefined> {
  const all = await sandbox.info();
  const rows = (['version', 'hostname', 'os', 'arch', 'user', 'homeDir'] as const).map(
    (name) => `${name}: ${all[name]}\n`,
  );
  print(rows.join(''), all);
}

export async function port({ sandbox, args: [text = ''], print }: Context): Promise<undefined> {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) throw new UsageError(`not a port: ${text}`);
  const url = sandbox.url(number);
  print(`${url}\n`, { url });
}

export async function ticket({ sandbox, args: [path = ''], options, print }: Context): Promise<undefined> {
  const terms = { ttl: numberOf('ttl', options['ttl']), uses: numberOf('uses', options['uses']) };
  const made = await sandbox.ticket(path, terms);
  print(`${made.url}\n`, made);
}
