import type { App } from '@sandbox/api/http/app-types.ts';
import { createLogger } from '@sandbox/program/logger.ts';
import { readConfig } from './options.ts';
import { buildWorker } from './worker.ts';
import { XServer } from './x-server.fixture.ts';

/** A worker with a display of its own. */
export class TestWorker implements AsyncDisposable {
  readonly app: App;
  readonly server: XServer;

  private constructor(app: App, server: XServer) {
    this.app = app;
    this.server = server;
  }

  static async start(geometry?: string, options: readonly string[] = []): Promise<TestWorker> {
    const server = await XServer.start(geometry, options);
    return new TestWorker(await workerFor(server.display), server);
  }

  /** The JSON body of an answer with that status. */
  async json(status: number, method: 'GET' | 'POST', url: string, payload?: object): Promise<Record<string, unknown>> {
    const answer = await this.app.inject({ method, url, ...(payload && { payload }) });
    if (answer.statusCode !== status) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`);
    return answer.json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
    await this.server[Symbol.asyncDispose]();
  }
}

/** A worker for a display, which need not be there. */
export function workerFor(display: string, environment: NodeJS.ProcessEnv = {}): Promise<App> {
  const variables = { DISPLAY: display, SVC_VALIDATE_RESPONSES: 'true', LOG_LEVEL: 'silent', ...environment };
  const config = readConfig([], variables);
  return buildWorker(config, createLogger('computer-use', config.logLevel));
}
