import type { TimelineEvent, TimelineQuery } from '../../timeline/timeline.ts';
import { type Context, UsageError } from '../command-spec.ts';
import { oneLine } from '../one-line.ts';

const LIMIT = /^[1-9]\d{0,3}$/;

export async function timeline({ sandbox, options, print, terminal, held }: Context): Promise<undefined> {
  const query = queryOf(options);
  const show = (event: TimelineEvent): void => print(`${lineOf(event)}\n`, event);
  if (options['follow'] === true) {
    const end = new AbortController();
    const { before, limit, ...followed } = query;
    if (before !== undefined || limit !== undefined)
      throw new UsageError('--follow takes neither --before nor --limit');
    await held.during({ end: async () => end.abort() }, async () => {
      try {
        for await (const event of sandbox.timeline.follow({ ...followed, signal: end.signal })) show(event);
      } catch (error) {
        if (!end.signal.aborted) throw error;
      }
    });
    return;
  }
  const page = await sandbox.timeline.read(query);
  for (const event of page.events) show(event);
  if (page.missed) terminal.stderr.write('earlier events were removed for room\n');
  if (page.more) terminal.stderr.write(`more: --${query.after === undefined ? 'before' : 'after'} ${page.cursor}\n`);
}

function queryOf(options: Context['options']): TimelineQuery {
  const text = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === 'string' ? value : undefined;
  };
  const limit = text('limit');
  if (limit !== undefined && !LIMIT.test(limit)) throw new UsageError(`--limit: not a number up to 1000: ${limit}`);
  return {
    after: text('after'),
    before: text('before'),
    kinds: text('kinds')?.split(','),
    actor: text('actor'),
    q: text('grep'),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
}

function lineOf({ seq, at, kind, actor, refs, data }: TimelineEvent): string {
  const who = actor?.claimed ?? actor?.key ?? actor?.protocol ?? '-';
  const of = Object.values(refs).map(String);
  const what = Object.entries(data).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return oneLine([String(seq).padStart(6), at, kind.padEnd(18), who.padEnd(8), ...of, ...what].join('  '));
}
