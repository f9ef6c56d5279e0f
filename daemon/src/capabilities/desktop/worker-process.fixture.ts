import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { XServer } from '../../../../computer-use/src/x-server.fixture.ts';
import { ROOT } from '../../../../scripts/root.ts';
import { freePort } from '../../../../scripts/testing/free-port.ts';

/** The worker as a process of its own, with a display. */
export class WorkerProcess implements AsyncDisposable {
  readonly url: string;
  readonly server: XServer;
  readonly child: ChildProcess;
  /** What it logs, a line each. */
  readonly log: string[] = [];

  private constructor(url: string, server: XServer, child: ChildProcess) {
    this.url = url;
    this.server = server;
    this.child = child;
    createInterface(child.stdout as Readable).on('line', (line) => this.log.push(line));
  }

  static async start(): Promise<WorkerProcess> {
    const server = await XServer.start('640x480');
    const port = await freePort();
    const options = { COMPUTER_USE_PORT: String(port), LOG_LEVEL: 'info', SVC_ACCESS_LOG: 'all' };
    const env = { ...process.env, DISPLAY: server.display, ...options };
    const child = spawn(process.execPath, [join(ROOT, 'computer-use/src/main.ts')], { env, stdio: 'pipe' });
    const worker = new WorkerProcess(`http://127.0.0.1:${port}`, server, child);
    while (!worker.log.some((line) => line.includes('listening'))) await once(child.stdout, 'data');
    return worker;
  }

  /** Resolves when the log has a line with the text. */
  async logged(text: string): Promise<string> {
    for (;;) {
      const line = this.log.find((one) => one.includes(text));
      if (line !== undefined) return line;
      await once(this.child.stdout as Readable, 'data');
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    await exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
    await this.server[Symbol.asyncDispose]();
  }
}
