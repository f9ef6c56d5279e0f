import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { timelineOf } from '../timeline.fixture.ts';

/** Reads a stream until a text is in it. */
async function until(url: string, headers: Record<string, string>, text: string): Promise<string> {
  const leave = new AbortController();
  const answer = await fetch(url, { headers, signal: leave.signal });
  let read = '';
  for await (const chunk of answer.body ?? []) {
    read += Buffer.from(chunk).toString();
    if (read.includes(text)) break;
  }
  leave.abort();
  return read;
}

function idsOf(stream: string): number[] {
  return [...stream.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}

test('[timeline.live] a stream follows the events, and resumes after the last one without loss or repetition', async () => {
  await using daemon = await TestApp.start({ record: 'on' });
  const base = await daemon.listen();
  await daemon.run('echo one');
  const sse = { accept: 'text/event-stream' };
  const first = until(`${base}/v2/timeline?after=0`, sse, 'echo two');
  await daemon.run('echo two');
  const ids = idsOf(await first);
  expect(ids).toEqual(ids.map((_, index) => index + 1));
  const last = ids.at(-1) ?? 0;
  await daemon.run('echo three');
  const resumed = idsOf(await until(`${base}/v2/timeline`, { ...sse, 'last-event-id': `${last}` }, 'echo three'));
  expect(resumed).toEqual(resumed.map((_, index) => last + 1 + index));

  const { last_seq } = await timelineOf(daemon);
  const lines = (
    await (
      await fetch(`${base}/v2/timeline?after=0&before=${last_seq + 1}`, { headers: { accept: 'application/x-ndjson' } })
    ).text()
  )
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type, seq }) => [type, seq])).toEqual(lines.map((_, index) => ['event', index + 1]));
  expect(lines).toHaveLength(last_seq);
});

test('[timeline.live] an idle stream of another kind costs no events and ends with the daemon', async () => {
  const daemon = await TestApp.start({ record: 'on' });
  const base = await daemon.listen();
  const stream = await fetch(`${base}/v2/timeline?kinds=browser`, { headers: { accept: 'application/x-ndjson' } });
  await daemon.run('true');
  await daemon[Symbol.asyncDispose]();
  expect(await stream.text()).toBe('');
});
