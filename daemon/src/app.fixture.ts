import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { App } from '@sandbox/api/http/app-types.ts';
import { createLogger } from '@sandbox/program/logger.ts';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { z } from 'zod';
import { buildApp } from './app.ts';
import type { CommandResult } from './capabilities/commands/wire/schemas.ts';
import type { Capability } from './capability.ts';
import { type Config, readConfig } from './config.ts';
import { type Identity, lookUpIdentity, ownIdentity } from './core/account/identity.ts';
import type { AnswerBudget } from './core/answers/answer-budget.ts';
import { hostOfTests } from './hosts.fixture.ts';
import type { Protocol } from './protocol.ts';

/** Account that commands of tests run as where the daemon that is tested is root; undefined: the daemon's own. */
const DEFAULT_USER = process.env['TEST_DEFAULT_USER'];

/** The account that commands run as where a test names none. */
export function identityOfCommands(): Identity {
  return DEFAULT_USER === undefined ? ownIdentity() : lookUpIdentity(DEFAULT_USER);
}

/** A whole daemon for one test, with a runtime directory of its own; every answer is checked against its schema. */
export class TestApp implements AsyncDisposable {
  readonly app: App;
  readonly directory: string;
  /** What was logged, a line each; only with a `logLevel`. */
  readonly log: string[];
  readonly #keepDirectory: boolean;

  private constructor(app: App, directory: string, log: string[], keepDirectory: boolean) {
    this.app = app;
    this.directory = directory;
    this.log = log;
    this.#keepDirectory = keepDirectory;
  }

  /** `directory`: a runtime directory of before, which is kept for the one after. */
  static async start(
    overrides: Partial<Config> = {},
    directory?: string,
    capabilities?: readonly Capability[],
    platform?: NodeJS.Platform,
    answers?: AnswerBudget,
    protocols?: readonly Protocol[],
  ): Promise<TestApp> {
    const runtimeDir = directory ?? (await mkdtemp(join(tmpdir(), 'sandboxd-test-')));
    const base = readConfig([], { SVC_DEFAULT_USER: DEFAULT_USER });
    const config: Config = {
      ...base,
      processHost: hostOfTests(),
      logLevel: 'silent',
      accessLog: 'all',
      validateResponses: true,
      stopGraceSeconds: 0.2,
      // Hundreds of daemons would import IPython for nothing.
      kernelZygote: 'use',
      ...overrides,
      runtimeDir,
    };
    const log: string[] = [];
    const secrets = config.apiKey === undefined ? [] : [config.apiKey];
    const app = await buildApp(
      config,
      createLogger('daemon', config.logLevel, secrets, { write: (line) => void log.push(line) }),
      capabilities,
      platform,
      answers,
      protocols,
    );
    return new TestApp(app, runtimeDir, log, directory !== undefined);
  }

  inject(options: InjectOptions | string): Promise<LightMyRequestResponse> {
    return this.app.inject(options);
  }

  post(url: string, payload: object = {}, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
    return this.app.inject({ method: 'POST', url, payload, headers });
  }

  /** Runs a command and answers its `data`: when it has ended, unless `more` says otherwise. */
  async run(command: string, more: object = {}): Promise<z.infer<typeof CommandResult>> {
    const answer = await this.post('/v2/commands', { command, timeout: 600, ...more });
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
    return answer.json().data;
  }

  /** Listens on a free port of the loopback; answers the base URL. */
  async listen(): Promise<string> {
    await this.app.listen({ host: '127.0.0.1', port: 0 });
    return `http://127.0.0.1:${(this.app.server.address() as AddressInfo).port}`;
  }

  /** Open connections to the address of `listen`. */
  connections(): Promise<number> {
    return promisify(this.app.server.getConnections).call(this.app.server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
    if (!this.#keepDirectory) await rm(this.directory, { recursive: true, force: true });
  }
}
