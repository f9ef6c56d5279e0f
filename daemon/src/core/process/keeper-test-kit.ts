import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeeperHost } from './keeper-host.ts';
import type { HostedProcess, StartSpec } from './process-host.ts';

const SOCKET = 'keeper-v1.sock';

function programOf(name: string): string | undefined {
  const path = join(import.meta.dirname, '../../../../dist', name);
  return existsSync(path) ? path : undefined;
}

export const keeperProgram = programOf('keeper');
/** It ends, and says why, at the first thing that C does not define. */
export const sanitizedProgram = programOf('keeper-sanitized');

/** A keeper in the foreground, in a directory of its own. */
export class RunningKeeper implements AsyncDisposable {
  readonly directory: string;
  readonly child: ChildProcess;
  #said = '';

  private constructor(directory: string, child: ChildProcess) {
    this.directory = directory;
    this.child = child;
    child.stderr?.on('data', (chunk) => {
      this.#said += chunk;
    });
  }

  static async start(program: string): Promise<RunningKeeper> {
    const directory = mkdtempSync(join(tmpdir(), 'keeper-'));
    const child = spawn(program, ['serve', directory], { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
    await once(child.stdout, 'data');
    return new RunningKeeper(directory, child);
  }

  get socket(): string {
    return join(this.directory, SOCKET);
  }

  /** What it wrote to stderr: nothing, if all is well. */
  get said(): string {
    return this.#said;
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Bytes of memory it holds now. */
  get rss(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
  }

  host(): Promise<KeeperHost> {
    return KeeperHost.open({ directory: this.directory });
  }

  async connect(): Promise<Socket> {
    const socket = connect(this.socket);
    await once(socket, 'connect');
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.alive) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function startIn(
  host: KeeperHost,
  id: string,
  script: string,
  more: Partial<StartSpec> = {},
): Promise<HostedProcess> {
  const env = { PATH: '/usr/bin:/bin', SHLVL: '1', SVC_COMMAND_ID: id };
  const spec = { id, file: 'bash', args: ['-c', script], cwd: '/', env, stdin: 'null', outputMaxBytes: 67_108_864 };
  return host.start({ ...spec, stdin: 'null', ...more });
}
