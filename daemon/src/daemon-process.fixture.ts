import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { programCommand } from '../../scripts/program-command.ts';
import { COMPILE_CACHE } from '../../scripts/testing/compile-cache.ts';

/** A daemon in a process of its own, which a test may kill. */
export class DaemonProcess implements AsyncDisposable {
  readonly base: string;
  readonly child: ChildProcess;
  /** What it logged until it listened, a line each. */
  readonly startLog: readonly string[];

  private constructor(base: string, child: ChildProcess, startLog: readonly string[]) {
    this.base = base;
    this.startLog = startLog;
    this.child = child;
  }

  /**
   * Starts the built daemon, which takes half of the processor time that its sources take to start.
   * @param program another main file, which reads the same environment and logs the same line when it listens
   */
  static async start(runtimeDir: string, env: Record<string, string> = {}, program?: string): Promise<DaemonProcess> {
    const [file = '', ...args] = program === undefined ? programCommand('sandboxd') : [process.execPath, program];
    const child = spawn(file, [...args, 'start'], {
      env: {
        ...process.env,
        ...COMPILE_CACHE,
        SVC_RUNTIME_DIR: runtimeDir,
        SVC_PORT: '0',
        SVC_STOP_GRACE_SECONDS: '0.2',
        LOG_LEVEL: 'info',
        SVC_KERNEL_ZYGOTE: 'use',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (address) {
        child.stdout.resume();
        return new DaemonProcess(address, child, lines);
      }
    }
    throw new Error(`the daemon did not start: ${lines.join('\n')}`);
  }

  /** @returns the `data` of a JSON answer */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects.
  async data(path: string, body?: object): Promise<any> {
    const answer = await fetch(this.base + path, body && { method: 'POST', body: JSON.stringify(body) });
    return ((await answer.json()) as { data: unknown }).data;
  }

  /** Sends a signal and waits for the end; answers exit code and signal, at once if it has ended. */
  async stop(signal: NodeJS.Signals): Promise<[code: number | null, signal: string | null]> {
    const { exitCode, signalCode } = this.child;
    if (exitCode !== null || signalCode !== null) return [exitCode, signalCode];
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    const [code, by] = await ended;
    return [code, by];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGTERM');
  }
}
