import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A real X server for tests, and programs on its display. */
export class XServer implements AsyncDisposable {
  readonly display: string;
  #server: ChildProcess;
  readonly #options: readonly string[];
  readonly #programs: ChildProcess[] = [];

  private constructor(display: string, server: ChildProcess, options: readonly string[]) {
    this.display = display;
    this.#server = server;
    this.#options = options;
  }

  /** @param options of Xtigervnc, such as `-extension DAMAGE` */
  static async start(geometry = '800x600', options: readonly string[] = []): Promise<XServer> {
    const all = ['-geometry', geometry, '-depth', '24', '-rfbport', '-1', '-nolisten', 'tcp', '-SecurityTypes', 'None'];
    const given = [...all, ...options];
    const server = spawn('Xtigervnc', ['-displayfd', '3', ...given], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const [number] = (await once(server.stdio[3] as Readable, 'data')) as [Buffer];
    return new XServer(`:${String(number).trim()}`, server, given);
  }

  /** Starts a program on the display. */
  run(program: string, ...args: string[]): ChildProcess {
    const child = spawn(program, args, { env: { ...process.env, DISPLAY: this.display }, stdio: 'pipe' });
    this.#programs.push(child);
    return child;
  }

  /** Kills the server; its display has no server then. */
  async kill(): Promise<void> {
    await end(this.#server);
    const number = this.display.slice(1);
    await Promise.all([`/tmp/.X${number}-lock`, `/tmp/.X11-unix/X${number}`].map((path) => rm(path, { force: true })));
  }

  /** Starts a server on the same display, after `kill`. */
  async again(): Promise<void> {
    const stdio = ['ignore', 'ignore', 'ignore', 'pipe'] as const;
    this.#server = spawn('Xtigervnc', [this.display, '-displayfd', '3', ...this.#options], { stdio: [...stdio] });
    await once(this.#server.stdio[3] as Readable, 'data');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#programs.map(end));
    await this.kill();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
