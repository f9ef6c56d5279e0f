import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { LaunchSpec } from '../serve/launch.ts';
import type { ServiceSpec } from '../serve/service.ts';
import { freePort } from './free-port.ts';

export interface FixtureService extends ServiceSpec {
  /** Reports of the service so far, `up <pid>` and `term <pid>`. */
  readonly events: () => string[];
}

export async function fixtureService(name: string, directory: string, ...args: string[]): Promise<FixtureService> {
  const port = await freePort();
  const events = join(directory, `${name}.events`);
  const program = join(import.meta.dirname, 'service-fixture.ts');
  return {
    name,
    command: [process.execPath, program, `--port=${port}`, `--events=${events}`, ...args],
    address: { host: '127.0.0.1', port },
    health: '/health',
    events: () => linesOf(events),
  };
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

/** The launcher in a process of its own. */
export class Launcher implements AsyncDisposable {
  readonly #child;
  #text = '';

  constructor(services: readonly ServiceSpec[], spec: Partial<LaunchSpec> = {}) {
    const program = join(import.meta.dirname, 'launch-fixture.ts');
    const json = JSON.stringify({
      services,
      doctor: [process.execPath, '-e', ''],
      reap: [process.execPath, '-e', ''],
      graceMs: 60_000,
      stallSeconds: 0,
      human: false,
      ...spec,
    });
    this.#child = spawn(process.execPath, [program, json], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        this.#text += chunk;
        this.#child.emit('text');
      });
    }
    this.#child.once('exit', () => this.#child.emit('text'));
  }

  get text(): string {
    return this.#text;
  }

  /** Resolves when `condition` is true; evaluated after each output of the launcher or a service. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#child.exitCode !== null) throw new Error(`the launcher has ended: ${this.#text}`);
      await once(this.#child, 'text');
    }
  }

  untilSays(text: string): Promise<void> {
    return this.until(() => this.#text.includes(text));
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Its exit code or signal, when all holders of its output have ended: no service is left. */
  async ended(): Promise<number | string> {
    const { exitCode, signalCode } = this.#child;
    if (this.#child.stdout.closed) return exitCode ?? signalCode ?? '';
    const [code, signal] = await once(this.#child, 'close');
    return code ?? signal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended();
  }
}
