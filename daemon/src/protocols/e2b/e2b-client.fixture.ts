import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { TestApp } from '../../app.fixture.ts';
import type { Config } from '../../config.ts';
import { descriptorOf } from '../../http/rpc/descriptors.ts';
import { FilesystemApi } from './wire/filesystem.ts';
import { ProcessApi } from './wire/process.ts';

// biome-ignore lint/suspicious/noExplicitAny: the descriptors are made when the test runs
type AnyMethod = (...args: any[]) => any;
type Client<Names extends string> = Readonly<Record<Uncapitalize<Names>, AnyMethod>>;
// biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects
type Answer = Omit<Response, 'json'> & { json(): Promise<any> };

interface Created {
  readonly sandboxID: string;
  readonly envdAccessToken: string;
  readonly trafficAccessToken: string;
}

const PROCESS_METHODS = ProcessApi.methods;
const FILE_METHODS = FilesystemApi.methods;

interface RpcTerms {
  readonly binary?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Clients of both services, in the format that E2B's SDKs use or in protobuf. */
export function rpcAt(baseUrl: string, { binary = false, headers = {} }: RpcTerms = {}) {
  const transport = createConnectTransport({
    baseUrl,
    httpVersion: '1.1',
    useBinaryFormat: binary,
    interceptors: [
      (next) => (request) => {
        for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
        return next(request);
      },
    ],
  });
  return {
    process: createClient(descriptorOf(ProcessApi), transport) as unknown as Client<keyof typeof PROCESS_METHODS>,
    filesystem: createClient(descriptorOf(FilesystemApi), transport) as unknown as Client<keyof typeof FILE_METHODS>,
  };
}

/** A daemon with a port, as a client of E2B sees it. */
export class E2bClient implements AsyncDisposable {
  readonly app: TestApp;
  readonly url: string;

  private constructor(app: TestApp, url: string) {
    this.app = app;
    this.url = url;
  }

  static async start(overrides: Partial<Config> = {}, directory?: string): Promise<E2bClient> {
    const app = await TestApp.start(overrides, directory);
    return new E2bClient(app, `${await app.listen()}/compat/e2b`);
  }

  /** A call of the control plane, or of a route of envd. */
  async fetch(path: string, init: RequestInit & { readonly json?: unknown } = {}): Promise<Answer> {
    const { json, ...rest } = init;
    return await fetch(`${this.url}${path}`, { ...rest, ...(json !== undefined && { body: JSON.stringify(json) }) });
  }

  async create(json: object = {}, headers: Record<string, string> = {}): Promise<Created> {
    const created = await this.fetch('/v2/sandboxes', {
      method: 'POST',
      json: { templateID: 'base', ...json },
      headers,
    });
    if (created.status !== 201) throw new Error(`${created.status}: ${await created.text()}`);
    return (await created.json()) as Created;
  }

  rpc(terms: RpcTerms = {}) {
    return rpcAt(this.url, terms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
  }
}

/** What a stream of process events carried. */
export async function collect(events: AsyncIterable<{ event: { event: { case: string; value: never } } }>) {
  const all = { pid: 0, stdout: '', stderr: '', pty: '', end: undefined as undefined | Record<string, unknown> };
  for await (const { event } of events) {
    const { case: kind, value } = event.event as { case: string; value: Record<string, never> };
    if (kind === 'start') all.pid = value['pid'] as never;
    if (kind === 'end') all.end = value;
    if (kind !== 'data') continue;
    const output = value['output'] as unknown as { case: 'stdout' | 'stderr' | 'pty'; value: Uint8Array };
    all[output.case] += Buffer.from(output.value).toString();
  }
  return all;
}
