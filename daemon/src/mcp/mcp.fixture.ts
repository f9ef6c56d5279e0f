import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from 'vitest';
import { TestApp } from '../app.fixture.ts';
import { readConfig } from '../config.ts';

interface Posted {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
  readonly json: any;
}

/** A daemon and a client without the SDK. */
export class McpCaller implements AsyncDisposable {
  readonly daemon: TestApp;
  readonly #directory: string;
  #id = 0;

  private constructor(daemon: TestApp, directory: string) {
    this.daemon = daemon;
    this.#directory = directory;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<McpCaller> {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-')));
    const config = readConfig([], { SVC_RUNTIME_DIR: join(directory, 'runtime'), ...env });
    return new McpCaller(await TestApp.start(config), directory);
  }

  async post(body: string | object, headers: Record<string, string> = {}, path = '/mcp'): Promise<Posted> {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await this.daemon.inject({ method: 'POST', url: path, payload, headers });
    const isJson = String(answer.headers['content-type']).includes('json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      json: isJson ? answer.json() : undefined,
    };
  }

  /** A plain request without a handshake. */
  async request(method: string, params: object = {}): Promise<Posted['json']> {
    this.#id += 1;
    return (await this.post({ jsonrpc: '2.0', id: this.#id, method, params })).json;
  }

  /** The result of a tool. */
  async call(name: string, args: object = {}): Promise<Posted['json']> {
    const answer = await this.request('tools/call', { name, arguments: args });
    return answer.result ?? answer;
  }

  /** The JSON in the text of a result. */
  async data(name: string, args: object = {}): Promise<Posted['json']> {
    const { content } = await this.call(name, args);
    return JSON.parse(content[0].text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** One daemon for a file of tests, and a directory for each test. */
export const test = base.extend<{ dir: string; mcp: McpCaller }>({
  mcp: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the dependencies of a fixture from the pattern.
    async ({}, use) => {
      await using mcp = await McpCaller.start();
      await use(mcp);
    },
    { scope: 'file' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the dependencies of a fixture from the pattern.
  dir: async ({}, use) => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-test-')));
    await use(directory);
    rmSync(directory, { recursive: true, force: true });
  },
});
