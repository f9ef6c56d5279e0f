import { expect, test } from 'vitest';
import { TestApp } from './app.fixture.ts';

const BIG = { BIG: 'x'.repeat(200_000) };
const MANY = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`V${index}`, 'x'.repeat(100_000)]));

test.each(['keeper', 'portable'] as const)(
  '[run.exec-limits] %s: every route refuses what is too long',
  async (host) => {
    await using daemon = await TestApp.start({ processHost: host });
    const calls: [string, object, string][] = [
      ['/v2/commands', { command: 'true', env: BIG }, 'variable BIG'],
      ['/v2/commands', { command: 'true', env: MANY }, 'variable V'],
      ['/v2/commands', { command: 'true', shell: 'none', args: ['a', 'x'.repeat(200_000)] }, 'item 2'],
      ['/v2/commands/sessions', { env: BIG }, 'variable BIG'],
      ['/v2/commands/sessions', { env: MANY }, 'variable V'],
      ['/v1/bash/exec', { command: 'true', env: BIG }, 'variable BIG'],
      ['/v2/pty/sessions', { env: BIG }, 'variable BIG'],
      ['/v2/pty/sessions', { command: 'sh', args: ['-c', 'x'.repeat(200_000)] }, 'item 2'],
      ['/v2/pty/sessions', { env: MANY }, 'variable V'],
      ['/v2/code/sessions', { language: 'javascript', env: BIG }, 'variable BIG'],
      ['/v2/code/execute', { language: 'javascript', code: '1', env: MANY }, 'variable V'],
      ['/v2/code/execute', { language: 'bash', code: 'true', env: BIG }, 'variable BIG'],
      ['/v2/code/execute', { language: 'python', code: '1', env: BIG }, 'variable BIG'],
    ];
    for (const [url, body, named] of calls) {
      const answer = await daemon.post(url, body);
      expect([url, answer.statusCode, answer.json().message]).toEqual([url, 422, expect.stringContaining(named)]);
    }
    const script = `: ${'x'.repeat(1_000_000)}`;
    expect((await daemon.run(script)).exit_code).toBe(0);
    expect((await daemon.run('true', { env: { BIG: 'x'.repeat(130_000) } })).exit_code).toBe(0);
  },
);
