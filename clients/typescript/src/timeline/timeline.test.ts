import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandLine } from '../cli/cli.fixture.ts';
import { TestSandbox } from '../client.fixture.ts';

let it: TestSandbox;

beforeAll(async () => {
  it = await TestSandbox.start({ record: 'on' });
});
afterAll(() => it[Symbol.asyncDispose]());

function sandbox(...words: string[]) {
  return commandLine(['timeline', ...words], '', { SANDBOX_URL: it.proxy.url, XDG_CONFIG_HOME: it.directory });
}

test('[client.timeline] events are read in pages and followed over a cut connection', async () => {
  const { timeline } = it.sandbox;
  await it.sandbox.run('echo one');
  const { events, lastSeq, missed } = await timeline.read({ kinds: ['command'], q: 'echo' });
  expect([events.map(({ data }) => data['command']), missed]).toEqual([['echo one'], false]);
  const seen: unknown[] = [];
  const following = (async () => {
    for await (const { kind, data } of timeline.follow({ after: lastSeq, kinds: ['command.begun'] })) {
      seen.push([kind, data['command']]);
      if (seen.length === 2) break;
    }
  })();
  await it.sandbox.run('echo two');
  it.proxy.cut();
  await it.sandbox.run('echo three');
  await following;
  expect(seen).toEqual([
    ['command.begun', 'echo two'],
    ['command.begun', 'echo three'],
  ]);
  const after = await timeline.read({ after: new Date(Date.now() + 3_600_000) });
  expect(after.events).toEqual([]);
});

test('[cli.timeline] timeline prints events a line each, pages and filters; wrong use exits with 2', async () => {
  await it.sandbox.run('printf "a\\033b"');
  const all = await sandbox('--kinds', 'command.begun', '--grep', 'printf');
  expect(all.code).toBe(0);
  expect(all.out).toMatch(/^ +\d+ {2}\d{4}-\S+Z {2}command\.begun +\S+ .*command=printf "a\\033b"/);
  const page = await sandbox('--after', '0', '--limit', '1', '--json');
  expect(JSON.parse(page.out)).toMatchObject({ seq: 1, kind: 'daemon.started' });
  expect(page.err).toBe('more: --after 1\n');
  expect((await sandbox('--limit', 'x')).code).toBe(2);
  expect((await sandbox('--follow', '--limit', '3')).code).toBe(2);
});
