import { TestApp } from '../../app.fixture.ts';
import type { Config } from '../../config.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects
type Json = any;

interface Got {
  readonly status: number;
  readonly json: Json;
}

/** A daemon with a port, as a client of SWE-ReX sees it. */
export class RexClient implements AsyncDisposable {
  readonly app: TestApp;
  readonly url: string;

  private constructor(app: TestApp, url: string) {
    this.app = app;
    this.url = url;
  }

  static async start(overrides: Partial<Config> = {}): Promise<RexClient> {
    const app = await TestApp.start(overrides);
    return new RexClient(app, `${await app.listen()}/compat/swe-rex`);
  }

  async post(path: string, body: object | string | FormData = {}, headers: Record<string, string> = {}): Promise<Got> {
    const payload = typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body);
    const answer = await fetch(`${this.url}/${path}`, { method: 'POST', body: payload, headers });
    return { status: answer.status, json: await answer.json() };
  }

  /** What a successful call answers. */
  async ok(path: string, body: object | FormData = {}): Promise<Json> {
    const { status, json } = await this.post(path, body);
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(json)}`);
    return json;
  }

  /** Class and message of an exception. */
  async raised(path: string, body: object): Promise<[string, string]> {
    const { status, json } = await this.post(path, body);
    if (status !== 511) throw new Error(`${status}: ${JSON.stringify(json)}`);
    const { class_path: name, message, traceback } = json.swerexception;
    if (traceback !== '') throw new Error('the exception shows a stack');
    return [name, message];
  }

  run(command: string, more: object = {}): Promise<Json> {
    return this.ok('run_in_session', { command, ...more });
  }

  upload(bytes: Uint8Array, target: string, unzip: boolean): Promise<Got> {
    const form = new FormData();
    form.append('file', new Blob([bytes as never]), 'file');
    form.append('target_path', target);
    form.append('unzip', String(unzip));
    return this.post('upload', form);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.app[Symbol.asyncDispose]();
  }
}
