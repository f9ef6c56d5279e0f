import { describe, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';

/** Seconds that a busy machine may be late. */
const LATE = 4;

interface Line {
  readonly text: string;
  /** Seconds since the request. */
  readonly at: number;
}

/** The lines of a stream, each with the time of its arrival; the caller ends the stream when it has enough. */
async function* timedLines(url: string): AsyncGenerator<Line> {
  const stop = new AbortController();
  const asked = performance.now();
  const { body } = await fetch(url, { signal: stop.signal });
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const at = (performance.now() - asked) / 1000;
      for (const text of chunk.split('\n').filter(Boolean)) yield { text, at };
    }
  } finally {
    stop.abort();
  }
}

// They wait for half a minute, hence concurrently.
describe.concurrent('by the clock', () => {
  test('[stream.heartbeat] a stream sends a heartbeat after every 15 s of silence', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('sleep 4; echo x; sleep 600', { mode: 'async' });
    const heartbeat = '{"type":"heartbeat"}';
    const lines: Line[] = [];
    for await (const line of timedLines(`${base}/v2/commands/${command_id}?stream=true`)) {
      if (lines.push(line) === 3) break;
    }
    expect(lines.map(({ text }) => text)).toEqual([expect.stringContaining('"data":"x\\n"'), heartbeat, heartbeat]);
    const silences = lines.slice(1).map(({ at }, index) => at - Number(lines[index]?.at));
    for (const silence of silences) {
      // The line before may have been read late.
      expect(silence).toBeGreaterThan(13);
      expect(silence).toBeLessThan(15 + LATE);
    }
  });

  test('[cmd.timeout-default] a call without timeout waits for 30 s, and the command keeps running', async () => {
    await using daemon = await TestApp.start();
    const asked = performance.now();
    const { statusCode, json } = await daemon.post('/v2/commands', { command: 'sleep 600' });
    const waited = (performance.now() - asked) / 1000;
    expect([statusCode, json().data]).toEqual([200, expect.objectContaining({ status: 'running', exit_code: null })]);
    expect(waited).toBeGreaterThan(29.9);
    expect(waited).toBeLessThan(30 + LATE);
  });
});
