import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestApp } from '../../../daemon/src/app.fixture.ts';
import type { Config } from '../../../daemon/src/config.ts';
import { CuttingProxy } from './cutting-proxy.fixture.ts';
import { type ConnectOptions, Sandbox } from './index.ts';

/** A daemon, a proxy before it that can cut connections, a client, and a directory for both sides. */
export class TestSandbox implements AsyncDisposable {
  readonly daemon: TestApp;
  readonly proxy: CuttingProxy;
  readonly sandbox: Sandbox;
  readonly directory: string;

  private constructor(daemon: TestApp, proxy: CuttingProxy, sandbox: Sandbox, directory: string) {
    this.daemon = daemon;
    this.proxy = proxy;
    this.sandbox = sandbox;
    this.directory = directory;
  }

  static async start(config: Partial<Config> = {}, options: ConnectOptions = {}): Promise<TestSandbox> {
    const daemon = await TestApp.start(config);
    const proxy = await CuttingProxy.start(Number(new URL(await daemon.listen()).port));
    const sandbox = Sandbox.at({ url: proxy.url, apiKey: config.apiKey, ...options });
    return new TestSandbox(daemon, proxy, sandbox, await mkdtemp(join(tmpdir(), 'client-test-')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]();
    await this.daemon[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}
