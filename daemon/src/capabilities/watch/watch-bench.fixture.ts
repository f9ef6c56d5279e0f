import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { z } from 'zod';
import { TestApp } from '../../app.fixture.ts';
import type { WatchEvents } from './wire/schemas.ts';

/** How one surface words the routes of watchers. */
export interface Surface {
  readonly prefix: string;
  readonly pollMethod: 'GET' | 'POST';
  /** The oldest name of the cursor in a poll. */
  readonly cursorField: 'cursor' | 'since';
  /** The status of a failed file operation. */
  readonly fileFailure: (status: number) => number;
}

export const V2: Surface = {
  prefix: '/v2',
  pollMethod: 'GET',
  cursorField: 'cursor',
  fileFailure: (status) => status,
};

/** A daemon and a directory to watch. */
export class WatchBench implements AsyncDisposable {
  readonly daemon: TestApp;
  readonly directory = mkdtempSync(join(tmpdir(), 'watched-'));

  private constructor(daemon: TestApp) {
    this.daemon = daemon;
  }

  static async start(): Promise<WatchBench> {
    return new WatchBench(await TestApp.start());
  }

  /** Creates a file with its content in one event. `mtime`: seconds since 1970. */
  write(name: string, mtime?: number): void {
    const draft = `${this.directory}.draft`;
    writeFileSync(draft, name);
    if (mtime !== undefined) utimesSync(draft, mtime, mtime);
    renameSync(draft, join(this.directory, name));
  }

  async create(
    more: object = {},
    surface = V2,
  ): Promise<{ watcher_id: string; initial_cursor: number; reused: boolean }> {
    const answer = await this.daemon.post(`${surface.prefix}/watch`, { path: this.directory, debounce: 50, ...more });
    expect(answer.statusCode).toBe(200);
    return answer.json().data;
  }

  /** The `data` of a poll. */
  async poll(
    id: string,
    query: Record<string, number>,
    { prefix, pollMethod }: Surface = V2,
  ): Promise<z.infer<typeof WatchEvents>> {
    const url = `${prefix}/watch/${id}/poll`;
    const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, `${value}`]));
    const answer =
      pollMethod === 'POST' ? await this.daemon.post(url, query) : await this.daemon.inject({ url, query: texts });
    expect(answer.statusCode).toBe(200);
    return answer.json().data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export interface Sent {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** The events of a stream up to the wanted one. */
export async function readStream(
  url: string,
  wanted: (sent: Sent) => boolean,
  headers: Record<string, string> = {},
): Promise<Sent[]> {
  const stop = new AbortController();
  const answer = await fetch(url, { headers, signal: stop.signal });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const sent: Sent[] = [];
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    sent.push(...whole.filter((block) => !block.startsWith(':')).map(parse));
    if (sent.some(wanted)) break;
  }
  stop.abort();
  return sent;
}

function parse(block: string): Sent {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
  return { event: fields['event'], id: fields['id'], data: JSON.parse(fields['data']) };
}
