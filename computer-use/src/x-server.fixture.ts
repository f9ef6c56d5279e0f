import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ignore } from '@sandbox/program/ignore.ts';

/** UTF-16 units of the messages of a server that are kept, the newest. */
const KEPT_MESSAGES = 4_000;

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
    const { server, number } = await launch(given);
    return new XServer(`:${number}`, server, given);
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
    this.#server = (await launch([this.display, ...this.#options])).server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#programs.map(end));
    await this.kill();
  }
}

/**
 * Starts a server and waits until it serves its display.
 * @returns with the number of the display
 * @throws Error with its messages, where it ends before that
 */
async function launch(args: readonly string[]): Promise<{ server: ChildProcess; number: string }> {
  const stdio: ('ignore' | 'pipe')[] = ['ignore', 'ignore', 'pipe', 'pipe'];
  const server = spawn('Xtigervnc', ['-displayfd', '3', ...args], { stdio });
  let messages = '';
  server.stderr?.on('data', (bytes: Buffer) => {
    messages = (messages + bytes.toString()).slice(-KEPT_MESSAGES);
  });
  const served = once(server.stdio[3] as Readable, 'data').then(([number]) => String(number).trim());
  const closed = once(server, 'close').then(([code, signal]): never => {
    throw new Error(`Xtigervnc ended with ${signal ?? code}: ${messages}`);
  });
  closed.catch(ignore);
  return { server, number: await Promise.race([served, closed]) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
