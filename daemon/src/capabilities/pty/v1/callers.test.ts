import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';

const CALLERS = 32;

test('[pty.exec-callers] of 32 callers without an id beside a ceiling of 8 each gets its own output, or 429', async () => {
  await using daemon = await TestApp.start({ shellMaxSessions: 8 });
  for (let round = 0; round < 2; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, (_, i) => daemon.post('/v1/shell/exec', { command: `echo "of ${i}"` })),
    );
    for (const [i, answer] of answers.entries()) {
      if (answer.statusCode === 429) continue;
      expect([answer.statusCode, answer.json().data.status, answer.json().data.output]).toEqual([
        200,
        'completed',
        expect.stringContaining(`of ${i}\n`),
      ]);
    }
    expect(answers.filter(({ statusCode }) => statusCode === 200).length).toBeGreaterThanOrEqual(8);
  }
  expect((await daemon.inject('/health')).statusCode).toBe(200);
});
