import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { HostedProcess, ProcessEnd, StartSpec } from '../process-host.ts';
import { type KeeperState, readState } from './held/keeper-state.ts';
import { EVENT, type FrameReader, FrameSplitter, FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';
import { KeeperHost } from './keeper-host.ts';

const SOCKET = `keeper-v${KEEPER_VERSION}.sock`;

function programOf(name: string): string | undefined {
  const path = join(import.meta.dirname, '../../../../../dist', name);
  return existsSync(path) ? path : undefined;
}

export const keeperProgram = programOf('keeper');
/** Ends with a message at the first undefined behaviour. */
export const sanitizedProgram = programOf('keeper-sanitized');

interface KeeperStart {
  /** Else a fresh one. */
  readonly directory?: string;
  /** A command that runs the command behind it. */
  readonly through?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

/** A keeper in the foreground, in a private directory. */
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

  static async start(
    program: string,
    { directory, through = [], env = {}, flags = [] }: KeeperStart = {},
  ): Promise<RunningKeeper> {
    const place = directory ?? mkdtempSync(join(tmpdir(), 'keeper-'));
    const [file = '', ...args] = [...through, program, 'serve', ...flags, place];
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    await once(child.stdout, 'data');
    return new RunningKeeper(place, child);
  }

  get socket(): string {
    return join(this.directory, SOCKET);
  }

  /** Its stderr: empty where nothing failed. */
  get said(): string {
    return this.#said;
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /**
   * Bytes of its anonymous memory, without the pages of libraries, which the system maps as needed. Counted page by
   * page, since the running count of RSS is inexact on several processors.
   */
  get memory(): number {
    const maps = readFileSync(`/proc/${this.child.pid}/smaps_rollup`, 'latin1');
    return Number(/^Anonymous:\s+(\d+)/m.exec(maps)?.[1]) * 1024;
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

/** An id that is unique on the system, since processes are found by it on the whole system. */
export function idIn(directory: string, name: string | number): string {
  return `${basename(directory)}-${name}`;
}

/** Every keeper of the tests; `isThere` is false where it was not built. */
export const KEEPERS = [
  { name: 'keeper', isThere: keeperProgram !== undefined, program: keeperProgram ?? '' },
  { name: 'keeper-sanitized', isThere: sanitizedProgram !== undefined, program: sanitizedProgram ?? '' },
] as const;

/** A client that sends raw frames, after HELLO. */
export class RawClient implements AsyncDisposable {
  readonly socket: Socket;
  readonly #frames: AsyncGenerator<FrameReader>;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.#frames = framesOf(socket);
  }

  static async open(path: string, version: number = KEEPER_VERSION): Promise<RawClient> {
    const socket = connect(path);
    await once(socket, 'connect');
    const client = new RawClient(socket);
    client.send(new FrameWriter(REQUEST.hello).u32(version));
    await client.until(EVENT.welcome);
    return client;
  }

  send(...frames: FrameWriter[]): void {
    this.socket.write(Buffer.concat(frames.map((frame) => frame.finish())));
  }

  /** The next frame of this type, or of any, that meets the condition; it is read past what the condition reads. */
  async until(type: number | undefined, met: (frame: FrameReader) => boolean = () => true): Promise<FrameReader> {
    for (;;) {
      const { value } = await this.#frames.next();
      if (value === undefined) throw new Error('the keeper ended the connection');
      if ((type === undefined || value.type === type) && met(value)) return value;
    }
  }

  /** The next STATE of the process, or of any, that meets the condition. */
  async state(id?: string, met: (state: KeeperState) => boolean = () => true): Promise<KeeperState> {
    for (;;) {
      const state = readState(await this.until(EVENT.state));
      if ((id === undefined || state.id === id) && met(state)) return state;
    }
  }

  /** How it ended; waits for the end. */
  async ended(id?: string): Promise<ProcessEnd> {
    const { end } = await this.state(id, (state) => state.end !== undefined);
    if (end === undefined) throw new Error('it has not ended');
    return end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    await this.#frames.return(undefined);
  }
}

async function* framesOf(socket: AsyncIterable<Buffer>): AsyncGenerator<FrameReader> {
  const splitter = new FrameSplitter();
  for await (const chunk of socket) yield* splitter.push(chunk);
}

/** START of a bash script without a terminal, or of another program. */
export function startFrame(
  id: string,
  script: string,
  more: { stdin?: boolean; file?: string; args?: readonly string[]; record?: string; forks?: boolean } = {},
): FrameWriter {
  return new FrameWriter(REQUEST.start)
    .text(id)
    .u8(more.stdin ? 1 : 0)
    .u8(more.forks ? 3 : 1)
    .u16(0)
    .u16(0)
    .u64(67_108_864)
    .u32(8_388_608)
    .account(undefined)
    .text('/')
    .text(more.file ?? '/bin/bash')
    .texts(more.args ?? ['bash', '-c', script])
    .texts(['PATH=/usr/bin:/bin', `SVC_COMMAND_ID=${id}`])
    .flag(false)
    .u8(0)
    .text(more.record ?? '');
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

/** A STDIN of a client that does not ask for its acknowledgement. */
export function stdinFrame(id: string, offset: number, bytes: string | Uint8Array): FrameWriter {
  return new FrameWriter(REQUEST.stdin).text(id).u64(1).flag(false).u64(offset).bytes(Buffer.from(bytes));
}
