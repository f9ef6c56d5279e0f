import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';

test('[code.stream] [stream.heartbeat] a silent cell sends a heartbeat after 15 s', async () => {
  await using daemon = await TestApp.start();
  const base = await daemon.listen();
  const stop = new AbortController();
  const { body } = await fetch(`${base}/v2/code/execute`, {
    method: 'POST',
    headers: { accept: 'application/x-ndjson' },
    body: JSON.stringify({ language: 'bash', code: 'echo x; sleep 600', timeout: 600 }),
    signal: stop.signal,
  });
  const seen: { readonly type: string; readonly at: number }[] = [];
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const at = performance.now();
    for (const line of chunk.split('\n').filter(Boolean)) seen.push({ type: JSON.parse(line).type, at });
    if (seen.length > 2) break;
  }
  stop.abort();
  expect(seen.map(({ type }) => type)).toEqual(['execution', 'output', 'heartbeat']);
  const silence = Number(seen[2]?.at) - Number(seen[1]?.at);
  // The line before may have been read late, and a busy machine be late itself.
  expect(silence).toBeGreaterThan(13_000);
  expect(silence).toBeLessThan(19_000);
});
