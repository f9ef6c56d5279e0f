import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/testing/free-port.ts';
import { CHROMIUM, FLAGS } from './browsers.ts';

const APPEAR_MS = 120_000;

/** The programs of one test, which are killed at its end. */
export class Stage implements AsyncDisposable {
  readonly directory: string;
  readonly #stack = new AsyncDisposableStack();

  private constructor(directory: string) {
    this.directory = directory;
    this.#stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  }

  static async open(): Promise<Stage> {
    return new Stage(await mkdtemp(join(tmpdir(), 'pages-')));
  }

  /** Starts an X display with an RFB server on a unix socket. */
  async display(): Promise<{ readonly display: string; readonly socketPath: string }> {
    const socketPath = join(this.directory, 'vnc.sock');
    const options = [
      '-rfbport',
      '-1',
      '-rfbunixpath',
      socketPath,
      '-SecurityTypes',
      'None',
      '-AlwaysShared',
      '-nolisten',
      'tcp',
    ];
    // The server selects a free display and writes its number to descriptor 3.
    const child = this.#start('Xtigervnc', ['-displayfd', '3', '-geometry', '1000x700', '-depth', '24', ...options]);
    const [number] = (await once(child.stdio[3] as Readable, 'data')) as [Buffer];
    await until(() => stat(socketPath));
    return { display: `:${String(number).trim()}`, socketPath };
  }

  /** Starts a browser as the sandbox does; resolves with its DevTools port. It is headless without a display. */
  async sandboxBrowser(display?: string): Promise<number> {
    const port = await freePort();
    const place =
      display === undefined ? ['--headless'] : ['--kiosk', '--window-position=0,0', '--window-size=1000,700'];
    const profile = join(this.directory, 'profile');
    this.#start(
      CHROMIUM,
      [
        ...FLAGS,
        ...place,
        `--remote-debugging-port=${port}`,
        `--user-data-dir=${profile}`,
        '--no-first-run',
        'about:blank',
      ],
      display === undefined ? {} : { DISPLAY: display },
    );
    await until(() => fetch(`http://127.0.0.1:${port}/json/version`));
    return port;
  }

  /** Starts any other program and waits until `ready` succeeds. */
  async program(file: string, args: readonly string[], ready: () => Promise<unknown>): Promise<void> {
    this.#start(file, args);
    await until(ready);
  }

  #start(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = spawn(file, args, {
      cwd: this.directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      detached: true,
    });
    this.#stack.defer(() => endGroup(child));
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}

async function until(ready: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + APPEAR_MS;
  for (;;) {
    try {
      await ready();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(50);
    }
  }
}
