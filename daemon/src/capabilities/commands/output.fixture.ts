import { expect } from 'vitest';
import type { z } from 'zod';
import type { TestApp } from '../../app.fixture.ts';
import type { CommandOutput, CommandResult } from './wire/schemas.ts';

interface Line {
  readonly type: string;
  readonly offset?: number;
  readonly data?: string;
  readonly data_base64?: string;
  readonly stream?: string;
  readonly first_offset?: number;
  readonly [key: string]: unknown;
}

export function linesOf(body: string): Line[] {
  return body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

/** The bytes of one output stream in NDJSON lines. */
export function bytesOf(lines: readonly Line[], type: string): Buffer {
  return Buffer.concat(
    lines
      .filter((line) => line.type === type)
      .map(({ data, data_base64 }) =>
        data === undefined ? Buffer.from(data_base64 ?? '', 'base64') : Buffer.from(data),
      ),
  );
}

/** Reads by offset; a query that waits and sets no wait_timeout gets the longest one. */
export async function read(daemon: TestApp, id: string, query = ''): Promise<z.infer<typeof CommandOutput>> {
  const patience = /wait=true(?!.*wait_timeout)/.test(query) ? '&wait_timeout=60' : '';
  const answer = await daemon.inject(`/v2/commands/${id}${query}${patience}`);
  expect(answer.statusCode).toBe(200);
  return answer.json().data;
}

/**
 * Runs a command that writes o1, e1, o2, e2 ... to its streams in turn, each only when the one before was read: bytes
 * that wait in two pipes at once have no order.
 */
export async function alternate(daemon: TestApp, times: number, more = {}): Promise<z.infer<typeof CommandResult>> {
  const script = `for ((i = 1; i <= ${times}; i++)); do echo o$i; read -r; echo e$i >&2; read -r; done`;
  const body = { mode: 'async', idempotency_key: 'alternate', ...more };
  const { command_id: id } = await daemon.run(script, body);
  let [offset, stderr_offset] = [0, 0];
  for (let said = 0; said < 2 * times; said += 1) {
    ({ offset, stderr_offset } = await read(daemon, id, `?wait=true&offset=${offset}&stderr_offset=${stderr_offset}`));
    await daemon.post(`/v2/commands/${id}/stdin`, { input: '\n' });
  }
  const { command } = await read(daemon, id, `?wait=true&offset=${offset}&stderr_offset=${stderr_offset}`);
  expect(command.status).toBe('completed');
  return await daemon.run(script, body);
}
