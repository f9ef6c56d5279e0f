import { expect } from 'vitest';
import type { z } from 'zod';
import type { TestApp } from '../../app.fixture.ts';
import type { CommandOutput } from './schemas.ts';

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

/** What a stream of lines says of one output stream. */
export function bytesOf(lines: readonly Line[], type: string): Buffer {
  return Buffer.concat(
    lines
      .filter((line) => line.type === type)
      .map(({ data, data_base64 }) =>
        data === undefined ? Buffer.from(data_base64 ?? '', 'base64') : Buffer.from(data),
      ),
  );
}

/** Where the query waits and does not say how long, it waits as long as the service lets it. */
export async function read(daemon: TestApp, id: string, query = ''): Promise<z.infer<typeof CommandOutput>> {
  const patience = /wait=true(?!.*wait_timeout)/.test(query) ? '&wait_timeout=60' : '';
  const answer = await daemon.inject(`/v2/commands/${id}${query}${patience}`);
  expect(answer.statusCode).toBe(200);
  return answer.json().data;
}
