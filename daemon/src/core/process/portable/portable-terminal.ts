import type { Socket } from 'node:net';
import type { IPty } from '@lydell/node-pty';
import type { Identity } from '../../account/identity.ts';
import { ByteLogWriter } from '../../output/byte-log-writer.ts';
import type { OutputLog } from '../../output/output-log.ts';
import { foregroundGroup } from '../find/foreground.ts';
import {
  type HostedProcess,
  type HostedTerminal,
  type ProcessEnd,
  StartFailure,
  type StartSpec,
  type TerminalSize,
} from '../process-host.ts';
import { asAccount } from '../set-account.ts';
import { signalName } from '../signals.ts';
import { ProcessStdin } from '../stdin/process-stdin.ts';
import { StdinOwner } from '../stdin/stdin-owner.ts';
import { StreamStdin } from './stream-stdin.ts';

interface StartedTerminal {
  readonly spec: StartSpec;
  readonly size: TerminalSize;
  readonly runner: Identity | undefined;
  readonly program: string;
  readonly output: OutputLog;
}

/** Undeclared members of node-pty on every system but Windows. */
interface UnixPty extends IPty {
  /** Written to directly, since the `write` of node-pty has no backpressure. */
  readonly _socket: Socket;
  destroy(): void;
}

/** Turns of the event loop that read the most a terminal can hold (64 KiB), 4 KiB at a time. */
const READING_TURNS = 32;

/** A child of this process on a terminal, by node-pty (`docs/adr/0006-terminals-without-a-keeper.md`). */
export class PortableTerminal extends StdinOwner implements HostedProcess, Disposable {
  readonly id: string;
  readonly pid: number;
  readonly output: OutputLog;
  readonly ended: Promise<ProcessEnd>;
  readonly terminal: HostedTerminal;
  readonly #pty: UnixPty;
  protected readonly stdin: ProcessStdin;
  readonly #settle: (end: ProcessEnd) => void;
  #hasEnded = false;

  private constructor(pty: UnixPty, output: OutputLog, cap: number, onReleased: () => void) {
    super();
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.id = output.id;
    this.pid = pty.pid;
    this.output = output;
    this.ended = promise;
    this.#settle = resolve;
    this.#pty = pty;
    this.stdin = new ProcessStdin(new StreamStdin(pty._socket), true);
    closeAfterDrain(pty._socket);
    const writer = new ByteLogWriter(output.stdout, cap);
    // Without an encoding node-pty emits buffers, although it declares strings.
    pty.onData((bytes: unknown) => writer.write(bytes as Buffer));
    pty.onExit(({ exitCode, signal }) => {
      writer.close();
      onReleased();
      this.#end(exitCode, signal);
    });
    this.terminal = {
      resize: (size) => this.#resize(size),
      signalForeground: async (signal) => this.#signalForeground(signal),
    };
  }

  /** @throws StartFailure if node-pty does not support this system, or no terminal can be opened */
  static async start(started: StartedTerminal, onReleased: () => void): Promise<PortableTerminal> {
    const { spec, size, runner, program, output } = started;
    const { spawn } = await import('@lydell/node-pty').catch((error: unknown) => {
      throw new StartFailure('terminals need the process keeper, or node-pty for this system', 126, error);
    });
    const command = [program, ...spec.args] as const;
    const [file, ...args] = runner ? givenTo(runner, asAccount(runner, command)) : command;
    try {
      const { TERM: name = 'xterm-256color' } = spec.env;
      const pty = spawn(file, args, { name, ...size, cwd: spec.cwd, env: { ...spec.env }, encoding: null }) as UnixPty;
      return new PortableTerminal(pty, output, spec.outputMaxBytes, onReleased);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartFailure(`no terminal could be opened: ${reason}`, 126, error);
    }
  }

  acknowledgeExit(): void {
    // The end is known to this process alone.
  }

  /** The terminal hangs up, as when its window is closed. */
  [Symbol.dispose](): void {
    this.stdin.close();
    if (!this.#hasEnded) this.#pty.destroy();
  }

  #resize({ cols, rows }: TerminalSize): void {
    try {
      if (!this.#hasEnded) this.#pty.resize(cols, rows);
    } catch {
      // The process is ending.
    }
  }

  #signalForeground(signal: NodeJS.Signals): boolean {
    const group = this.#hasEnded ? undefined : foregroundGroup(this.pid);
    try {
      return group !== undefined && process.kill(-group, signal);
    } catch {
      return false;
    }
  }

  #end(exitCode: number, signal: number | undefined): void {
    this.#hasEnded = true;
    this.stdin.close();
    const how = signal ? { exitCode: null, signal: signalName(signal) } : { exitCode, signal: null };
    this.#settle({ ...how, background: false, usage: null, endedAt: new Date() });
  }
}

/** As login(1) does: the account owns the terminal before a program of the account runs on it. */
function givenTo({ uid }: Identity, command: readonly string[]): [string, ...string[]] {
  const give = 'PATH=/usr/bin:/bin chown "$0" /dev/stdin && PATH=/usr/bin:/bin chmod 620 /dev/stdin';
  return ['/bin/sh', '-c', `${give}; exec "$@"`, String(uid), ...command];
}

/** node-pty closes its end 200 ms after the exit; after a blocked event loop earlier output may be unread then. */
function closeAfterDrain(socket: Socket): void {
  const close = socket.destroy.bind(socket);
  const closeIn = (turns: number, error: Error | undefined): void => {
    if (turns === 0) close(error);
    else setImmediate(() => closeIn(turns - 1, error));
  };
  socket.destroy = (error) => {
    closeIn(READING_TURNS, error);
    return socket;
  };
}
