import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { programCommand } from '../../../scripts/program-command.ts';
import { ROOT } from '../../../scripts/root.ts';
import { debianProgram } from '../../../scripts/test-all/need.ts';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { type NginxSite, nginxConfig } from './nginx-config.ts';

/** Milliseconds between two attempts to reach a starting service. */
const TRY_MS = 1;
const START_LIMIT_MS = 20_000;

/** A program that serves on a loopback port, in its own process. */
export interface Service extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** Milliseconds from its start to its first answer. */
  readonly readyMs: number;
}

export type Variables = Readonly<Record<string, string>>;

/** The daemon's bundle, with a runtime directory that is removed on disposal. */
export async function startDaemon(variables: Variables = {}): Promise<Service> {
  const directory = temporaryDirectory();
  const port = await freePort();
  const env = { SVC_PORT: String(port), SVC_RUNTIME_DIR: join(directory, 'run'), LOG_LEVEL: 'silent', ...variables };
  return serve([...programCommand('sandboxd'), 'start'], { port, env, directory });
}

/** The gateway's bundle before a daemon. */
export async function startGateway(daemon: Service, variables: Variables = {}): Promise<Service> {
  const port = await freePort();
  const env = { GATEWAY_PORT: String(port), SVC_PORT: String(daemon.port), LOG_LEVEL: 'silent', ...variables };
  return serve([...programCommand('gateway'), 'start'], { port, env });
}

/** The worker of a display. */
export async function startWorker(display: string, variables: Variables = {}): Promise<Service> {
  const port = await freePort();
  const command = [process.execPath, '--max-semi-space-size=4', join(ROOT, 'dist/computer-use.mjs')];
  const env = { DISPLAY: display, COMPUTER_USE_PORT: String(port), LOG_LEVEL: 'silent', ...variables };
  return serve(command, { port, env, answers: /^HTTP\/1\.1 \d/ });
}

/** A plain `node:http` server of `e2e/bench/peers`; it gets its port as first argument. */
export async function startPeer(program: string, args: readonly string[] = []): Promise<Service> {
  const port = await freePort();
  return serve([process.execPath, join(ROOT, 'e2e/bench/peers', program), String(port), ...args], { port, env: {} });
}

export async function startNginx(site: NginxSite): Promise<Service> {
  const directory = temporaryDirectory();
  const port = await freePort();
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, nginxConfig(site, port, directory));
  return serve(['nginx', '-p', directory, '-c', file, '-e', 'stderr'], { port, env: {}, directory });
}

export const WEBSOCKIFY = debianProgram('websockify', 'the relay of the desktop is held against it');

/** websockify before a unix socket; one process, which forks per connection. */
export async function startWebsockify(target: string): Promise<Service> {
  const port = await freePort();
  // It writes a line per connection to standard error.
  const command = [
    'sh',
    '-c',
    'exec websockify "$@" 2>/dev/null',
    'sh',
    `--unix-target=${target}`,
    `127.0.0.1:${port}`,
  ];
  return serve(command, { port, env: {}, answers: /^HTTP\/1\.[01] \d/ });
}

/** An X display with an RFB server on a unix socket, and one program that draws on it. */
export async function startDisplay(
  socketPath: string,
  [program = '', ...args]: readonly string[],
): Promise<AsyncDisposable> {
  const number = `:${100 + (process.pid % 900)}`;
  const options = ['-geometry', '1280x800', '-rfbport', '-1', '-rfbunixpath', socketPath, '-SecurityTypes', 'None'];
  const child = spawn('Xtigervnc', [number, ...options, '-nolisten', 'tcp'], { stdio: 'ignore' });
  const deadline = performance.now() + START_LIMIT_MS;
  while (!existsSync(socketPath)) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error('Xtigervnc does not serve');
    await new Promise((resolve) => setTimeout(resolve, TRY_MS));
  }
  const drawing = spawn(program, args, { env: { ...process.env, DISPLAY: number }, stdio: 'ignore' });
  return {
    async [Symbol.asyncDispose]() {
      await end(drawing);
      await end(child);
    },
  };
}

interface Serving {
  readonly port: number;
  readonly env: Variables;
  /** Removed at the end. */
  readonly directory?: string;
  /** Beginning of its answer to `GET /health` when it serves. */
  readonly answers?: RegExp;
  /** Discard its output. */
  readonly quiet?: boolean;
}

/** Starts a program, and waits until it serves. */
export async function serve(
  command: readonly string[],
  { port, env, directory, answers = /^HTTP\/1\.1 200/, quiet = false }: Serving,
): Promise<Service> {
  const [file = '', ...args] = command;
  const begun = performance.now();
  const child = spawn(file, args, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env, SVC_PARENT_PIPE: '1' },
    stdio: ['pipe', 'ignore', quiet ? 'ignore' : 'inherit'],
  });
  const stop = async (): Promise<void> => {
    await end(child);
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  };
  try {
    await untilHealthy(child, port, answers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, port, readyMs: performance.now() - begun, [Symbol.asyncDispose]: stop };
}

async function untilHealthy(child: ChildProcess, port: number, answers: RegExp): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await isHealthy(port, answers))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${child.spawnfile} does not serve`);
    await new Promise((resolve) => setTimeout(resolve, TRY_MS));
  }
}

function isHealthy(port: number, answers: RegExp): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.write('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'));
    socket.once('data', (bytes) => resolve(answers.test(bytes.toString('latin1'))));
    socket.on('error', () => resolve(false)).on('close', () => resolve(false));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  await exited;
  clearTimeout(killer);
}

function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'bench-'));
}
