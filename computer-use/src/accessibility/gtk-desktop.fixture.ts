import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { pollUntil } from '@sandbox/api/wait.ts';

const WINDOW = fileURLToPath(new URL('gtk-window.py', import.meta.url));

/** A display and a session bus of their own, with windows of GTK. */
export class GtkDesktop implements AsyncDisposable {
  readonly display: string;
  readonly #directory: string;
  readonly #children: ChildProcess[] = [];
  #bus: ChildProcess | undefined;

  private constructor(display: string, directory: string, server: ChildProcess) {
    this.display = display;
    this.#directory = directory;
    this.#children.push(server);
  }

  static async start(): Promise<GtkDesktop> {
    const directory = await mkdtemp(join(tmpdir(), 'desktop-'));
    await mkdir(join(directory, 'run'), { mode: 0o700 });
    const flags = ['-displayfd', '3', '-geometry', '800x600', '-depth', '24', '-SecurityTypes', 'None'];
    const rfb = ['-rfbport', '-1', '-rfbunixpath', join(directory, 'vnc'), '-nolisten', 'tcp', '-fp', 'built-ins'];
    const server = spawn('Xtigervnc', [...flags, ...rfb], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const desktop = new GtkDesktop(`:${await firstLine(server, server.stdio[3] as Readable)}`, directory, server);
    await desktop.startBus();
    return desktop;
  }

  get sessionBus(): string {
    return `unix:path=${join(this.#directory, 'bus')}`;
  }

  get #environment(): NodeJS.ProcessEnv {
    return {
      PATH: env['PATH'],
      HOME: this.#directory,
      XDG_RUNTIME_DIR: join(this.#directory, 'run'),
      DISPLAY: this.display,
      DBUS_SESSION_BUS_ADDRESS: this.sessionBus,
      LANG: 'C.UTF-8',
    };
  }

  async startBus(): Promise<void> {
    const address = `--address=${this.sessionBus}`;
    const flags = ['--session', '--nofork', '--nopidfile', '--print-address=1', address];
    this.#bus = spawn('dbus-daemon', flags, { env: this.#environment, stdio: ['ignore', 'pipe', 'ignore'] });
    await firstLine(this.#bus, this.#bus.stdout as Readable);
  }

  /** Kills the session bus, and with it the accessibility bus, whose launcher ends. */
  async killBus(): Promise<void> {
    if (this.#bus) await end(this.#bus);
    await rm(join(this.#directory, 'bus'), { force: true });
  }

  async window(title = 'Probe'): Promise<GtkWindow> {
    const child = spawn('/usr/bin/python3', [WINDOW, title], {
      env: this.#environment,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#children.push(child);
    const window = new GtkWindow(child);
    await window.said({ ready: true });
    return window;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The programs first: a display that ends under them is a fault that they report.
    for (const child of this.#children.reverse()) await end(child);
    if (this.#bus) await end(this.#bus);
    await rm(this.#directory, { recursive: true, maxRetries: 5 });
  }
}

/** A window with a menu, two buttons, a text field, a check box, a combo box and a number. */
export class GtkWindow {
  readonly child: ChildProcess;
  readonly #events: unknown[] = [];

  constructor(child: ChildProcess) {
    this.child = child;
    if (!child.stdout) throw new Error('the window has no output');
    createInterface({ input: child.stdout }).on('line', (line) => this.#events.push(JSON.parse(line)));
  }

  get events(): readonly unknown[] {
    return this.#events;
  }

  async said(event: object): Promise<void> {
    const wanted = JSON.stringify(event);
    const isSaid = (): boolean => this.#events.some((said) => JSON.stringify(said) === wanted);
    const end = await pollUntil(isSaid, { everyMs: 20, ms: 30_000 });
    if (end !== 'settled') throw new Error(`the window did not say ${wanted}, but ${JSON.stringify(this.#events)}`);
  }

  /** Has the window do something, and waits until it is done. */
  async tell(line: string): Promise<void> {
    this.child.stdin?.write(`${line}\n`);
    await this.said({ done: line });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function firstLine(child: ChildProcess, stream: Readable): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`the program ended with ${code}`)));
  createInterface({ input: stream }).once('line', resolve);
  return promise;
}
