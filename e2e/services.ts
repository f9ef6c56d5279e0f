import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MEMORY_SETTINGS } from '@sandbox/program/memory/memory-settings.ts';
import { programCommand } from '../scripts/program-command.ts';
import { freePort } from '../scripts/testing/free-port.ts';
import { type TempDir, tempDir } from '../scripts/testing/temp-dir.ts';

type Variables = Readonly<Record<string, string>>;

interface ServiceSpec {
  readonly env: Variables;
  /** Options of the service's own Node. */
  readonly nodeOptions: readonly string[];
}

/** Addresses where nothing listens, independent of the programs on the test machine. */
const NO_UPSTREAMS: Variables = { BROWSER_REMOTE_DEBUGGING_PORT: '1', GATEWAY_VNC: '/nonexistent/vnc.sock' };

/** The built daemon and gateway on free ports, for one scenario. */
export class Services implements AsyncDisposable {
  readonly url: string;
  readonly daemonPort: number;
  readonly log: string[];
  daemon: ChildProcess;
  readonly gateway: ChildProcess;
  readonly #directory: TempDir;
  readonly #spec: ServiceSpec;

  private constructor(
    started: { url: string; daemonPort: number; daemon: ChildProcess; gateway: ChildProcess; log: string[] },
    directory: TempDir,
    spec: ServiceSpec,
  ) {
    this.url = started.url;
    this.daemonPort = started.daemonPort;
    this.daemon = started.daemon;
    this.log = started.log;
    this.gateway = started.gateway;
    this.#directory = directory;
    this.#spec = spec;
  }

  /** @param nodeOptions options of the services' own Node, which the programs that they run do not get */
  static async start(env: Variables = {}, nodeOptions: readonly string[] = []): Promise<Services> {
    const directory = await tempDir();
    const log: string[] = [];
    const all = { SVC_RUNTIME_DIR: directory.path, SVC_STOP_GRACE_SECONDS: '0.2', ...NO_UPSTREAMS, ...env };
    const spec = { env: all, nodeOptions };
    const daemon = await startService('sandboxd', spec, { SVC_PORT: String(await freePort()) }, log);
    const ports = { SVC_PORT: String(daemon.port), GATEWAY_PORT: '0' };
    const gateway = await startService('gateway', spec, ports, log);
    const url = `http://127.0.0.1:${gateway.port}`;
    return new Services(
      { url, daemonPort: daemon.port, daemon: daemon.child, gateway: gateway.child, log },
      directory,
      spec,
    );
  }

  get gatewayPort(): number {
    return Number(new URL(this.url).port);
  }

  async stopDaemon(signal: NodeJS.Signals): Promise<void> {
    await stop(this.daemon, signal);
  }

  /** Removes all that a stopped daemon has kept. */
  async forgetAll(): Promise<void> {
    const names = await readdir(this.#directory.path);
    await Promise.all(
      names.map((name) => rm(join(this.#directory.path, name), { recursive: true, force: true, maxRetries: 5 })),
    );
  }

  async startDaemon(): Promise<void> {
    const port = { SVC_PORT: String(this.daemonPort) };
    this.daemon = (await startService('sandboxd', this.#spec, port, this.log)).child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([stop(this.gateway, 'SIGTERM'), stop(this.daemon, 'SIGTERM')]);
    await this.#directory[Symbol.asyncDispose]();
  }
}

/** Starts a service; resolves with the port when its log reports that it listens. */
async function startService(
  name: 'sandboxd' | 'gateway',
  { env, nodeOptions }: ServiceSpec,
  ports: Variables,
  log: string[],
): Promise<{ child: ChildProcess; port: number }> {
  const [program = process.execPath, ...args] = programCommand(name);
  const child = spawn(program, [...nodeOptions, ...args, 'start'], {
    env: { ...MEMORY_SETTINGS, ...process.env, LOG_LEVEL: 'info', SVC_ACCESS_LOG: 'all', ...env, ...ports },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<number>((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line);
      const found = /listening.*127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? /"port":(\d+).*"listening"/.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', () => reject(new Error(`${name} ended: ${log.join('\n')}`)));
  });
  return { child, port };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
