import { createHash, randomUUID } from 'node:crypto';
import { chownSync } from 'node:fs';
import { pollUntil, Slots, timeoutSignal } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Identity } from '../../../core/account/identity.ts';
import { foregroundGroup } from '../../../core/process/find/foreground.ts';
import {
  type HostedProcess,
  type HostedTerminal,
  type ProcessEnd,
  type ProcessTarget,
  StartFailure,
  type StartSpec,
} from '../../../core/process/process-host.ts';
import { signalName } from '../../../core/process/signals.ts';
import { NO_STDIN } from '../../../core/process/stdin/stdin-sink.ts';
import type { ExecFiles } from '../exec/exec-files.ts';
import { endOf, resetIfEnded } from './tmux-end.ts';
import { TmuxInput } from './tmux-input.ts';
import { tmuxProgram } from './tmux-program.ts';
import { repaintTo } from './tmux-repaint.ts';

/** Bytes of an answer of tmux itself. */
const ANSWER_BYTES = 65_536;

/** Milliseconds between two looks at a program. */
const LOOK_MS = 100;
/** Milliseconds within which tmux reports how a program ended. */
const END_MS = 2000;
/** Milliseconds that a client has to attach before the next change; many, since on a busy machine it is late. */
const ATTACH_MS = 10_000;

const NEVER = new AbortController().signal;

/** Keeps the server without sessions: one that ends with its last session removes the socket of its successor. */
const STAY = [
  'start-server',
  ';',
  'set-option',
  '-g',
  'exit-empty',
  'off',
  ';',
  'set-option',
  '-gw',
  'automatic-rename',
  'off',
];

/** What sessions need of the host of their terminals. */
export interface TerminalHost {
  start(spec: StartSpec): Promise<HostedProcess>;
  signal(targets: readonly ProcessTarget[], signal: string): Promise<number>;
  living(targets: readonly ProcessTarget[]): Promise<number>;
}

/**
 * Holds each terminal in a session of a tmux server of its own. Output goes through a pipe (`pipe-pane`) into the log of
 * a process of the process host; input goes through a client in control mode.
 */
export class TmuxHost implements TerminalHost, AsyncDisposable {
  readonly #host: TerminalHost;
  readonly #files: ExecFiles;
  readonly #server: string;
  /** Accounts by uid; each has a tmux server of its own. */
  readonly #users = new Map<number | undefined, Identity | undefined>();
  /**
   * One change at a time: a server crashes if it reports a change to a client that is still attaching (tmux 3.3). The
   * end of a client is a change, too.
   */
  readonly #turns = new Map<number | undefined, Slots>();

  /** The name of the server is derived from the runtime directory, so that the next daemon finds its sessions. */
  constructor(host: TerminalHost, files: ExecFiles, runtimeDir: string) {
    this.#host = host;
    this.#files = files;
    this.#server = `svc-${createHash('sha256').update(runtimeDir).digest('hex').slice(0, 12)}`;
  }

  signal(targets: readonly ProcessTarget[], signal: string): Promise<number> {
    return this.#host.signal(targets, signal);
  }

  living(targets: readonly ProcessTarget[]): Promise<number> {
    return this.#host.living(targets);
  }

  async start(spec: StartSpec): Promise<HostedProcess> {
    const { id, terminal = { cols: 80, rows: 24 }, cwd, identity } = spec;
    const { argv, script } = tmuxProgram(spec, this.#files);
    const starting = this.#reader(spec);
    void starting.then(({ reader }) => reader.ended).then(script?.remove, script?.remove);
    const { reader, path } = await starting;
    const size = ['-x', String(terminal.cols), '-y', String(terminal.rows)];
    const created = ['new-session', '-d', '-P', '-F', '#{pane_pid}', '-s', id, ...size, '-c', cwd, '--', ...argv];
    const at = ['-t', `=${id}:`];
    const remain = ['set-option', '-p', ...at, 'remain-on-exit', 'on'];
    const silent = ['set-option', '-qp', ...at, 'remain-on-exit-format', ''];
    const pipe = ['pipe-pane', '-O', ...at, `exec > ${path}; exec cat`];
    this.#users.set(identity?.uid, identity);
    const opening = [...STAY, ';', ...created, ';', ...remain, ';', ...silent, ';', ...pipe];
    const answer = await this.#inTurn(identity, () => this.#tmux(opening, identity));
    const pid = Number(answer.trim());
    if (pid > 0) return this.#adopt(reader, id, pid, identity);
    await this.#host.signal([{ id, pid: reader.pid, running: true }], 'SIGKILL');
    reader.acknowledgeExit();
    throw new StartFailure(`tmux did not open a session: ${answer.trim()}`, 126);
  }

  /**
   * Takes up a tmux session of an earlier daemon. `reader`: the process that reads its output, if the host held it;
   * else a new one is started. Undefined if tmux has no such session.
   */
  async resume(name: string, spec: StartSpec, reader: HostedProcess | undefined): Promise<HostedProcess | undefined> {
    const at = ['-t', `=${name}:`];
    const answer = await this.#tmux(['display-message', '-p', ...at, '#{pane_pid} #{pane_dead}'], spec.identity);
    const [pid = 0, isDead] = answer.trim().split(' ').map(Number);
    if (!(pid > 0)) return undefined;
    this.#users.set(spec.identity?.uid, spec.identity);
    if (reader !== undefined) {
      await this.#tmux(resetIfEnded(name), spec.identity);
      return this.#adopt(reader, name, pid, spec.identity);
    }
    const fresh = await this.#reader(spec);
    const repaint = repaintTo(fresh.path, ['tmux', ...this.#options].join(' '), name, isDead === 1);
    await this.#tmux([...repaint, ';', ...resetIfEnded(name)], spec.identity);
    return this.#adopt(fresh.reader, name, pid, spec.identity);
  }

  /** Ends the server of each account with all programs in it. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const identity of this.#users.values()) await this.#tmux(['kill-server'], identity).catch(() => '');
  }

  async #inTurn<T>(identity: Identity | undefined, change: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(identity?.uid) ?? new Slots(1);
    this.#turns.set(identity?.uid, turns);
    using _turn = await turns.take(NEVER);
    return await change();
  }

  /** Starts the process whose output is the history: it reads the named pipe. */
  async #reader(spec: StartSpec): Promise<{ reader: HostedProcess; path: string }> {
    const { path, remove } = this.#files.reserve();
    await this.#run('mkfifo', ['-m', '600', path], undefined);
    if (spec.identity) chownSync(path, spec.identity.uid, spec.identity.gid);
    const { terminal: _, ...rest } = spec;
    const env = { PATH: spec.env['PATH'] ?? '/usr/bin:/bin', SVC_COMMAND_ID: spec.id };
    const reader = await this.#host.start({ ...rest, file: 'cat', args: [path], cwd: '/', env });
    void reader.ended.then(remove);
    return { reader, path };
  }

  async #adopt(
    reader: HostedProcess,
    name: string,
    pid: number,
    identity: Identity | undefined,
  ): Promise<HostedProcess> {
    const attach = ['-C', 'attach-session', '-f', 'no-output,ignore-size', '-t', `=${name}`];
    const start = () =>
      this.#inTurn(identity, async () => {
        const client = await this.#host.start({ ...this.#command(attach, identity), stdin: 'pipe' });
        // An attached client writes; one that has ended closes its output.
        await client.output.stdout.advanced(0, timeoutSignal(ATTACH_MS));
        return client;
      });
    const read = (variable: string) => this.#variable(name, variable, identity);
    const input = await TmuxInput.open({ start, read }, name);
    const ended = endOf(pid, reader).then(async () => {
      const how = await this.#endOf(name, identity);
      // It may be waiting for its turn.
      const client = await input.close();
      await this.#inTurn(identity, async () => {
        const kill = [...resetIfEnded(name), ';', 'kill-session', '-t', `=${name}`];
        await this.#tmux(kill, identity).catch(ignore);
        if (client) await this.#discard([client]);
      });
      return { ...(await reader.ended), ...how };
    });
    const terminal = terminalOf(input, pid);
    const writeStdin = (bytes: Uint8Array, signal?: AbortSignal): Promise<void> => input.write(bytes, signal);
    const offerStdin = async (bytes: Uint8Array): Promise<number> => input.write(bytes).then(() => bytes.length);
    const methods = { ...methodsOf(reader), writeStdin, typeStdin: writeStdin, offerStdin };
    return { ...methods, stdinCount: NO_STDIN, ended, pid, terminal };
  }

  /** The value of a variable of a session, empty if it has none; undefined if there is no such session. */
  async #variable(name: string, variable: string, identity: Identity | undefined): Promise<string | undefined> {
    const answer = await this.#tmux(
      ['display-message', '-p', '-t', `=${name}:`, `#{pane_pid}:#{${variable}}`],
      identity,
    );
    return /^\d+:(\d*)$/.exec(answer.trim())?.[1];
  }

  /** Exit code and signal of the program; tmux keeps them until its session is killed. */
  async #endOf(name: string, identity: Identity | undefined): Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>> {
    const format = '#{pane_dead_status},#{pane_dead_signal},#{pid}';
    try {
      let [status, signal] = ['', ''];
      const isKnown = async (): Promise<boolean> => {
        const answer = await this.#tmux(['display-message', '-p', '-t', `=${name}:`, format], identity);
        const [, code = '', by = '', server = ''] = /^(\d*),(\d*),(\d+)$/.exec(answer.trim()) ?? [];
        if (server === '') return true;
        [status, signal] = [code, by];
        // tmux sometimes misses the end of a child; another SIGCHLD makes it look again.
        process.kill(Number(server), 'SIGCHLD');
        return status !== '' || signal !== '';
      };
      await pollUntil(isKnown, { everyMs: LOOK_MS, ms: END_MS });
      if (signal !== '') return { exitCode: null, signal: signalName(Number(signal)) };
      return status === '' ? { exitCode: null, signal: 'SIGKILL' } : { exitCode: Number(status), signal: null };
    } catch {
      return { exitCode: null, signal: 'SIGKILL' };
    }
  }

  async #discard(processes: readonly HostedProcess[]): Promise<void> {
    const targets = processes.map(({ id, pid }) => ({ id, pid, running: true }));
    await this.#host.signal(targets, 'SIGKILL').catch(() => 0);
    for (const process of processes) {
      await process.ended;
      process.acknowledgeExit();
      await process.output.remove();
    }
  }

  #tmux(args: readonly string[], identity: Identity | undefined): Promise<string> {
    const { file, args: all } = this.#command(args, identity);
    return this.#run(file, all, identity);
  }

  get #options(): readonly string[] {
    return ['-u', '-L', this.#server, '-f', '/dev/null'];
  }

  #command(args: readonly string[], identity: Identity | undefined): StartSpec {
    return {
      id: `ptyx-${randomUUID()}`,
      file: 'tmux',
      args: [...this.#options, ...args],
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', TERM: 'xterm-256color', SHELL: '/bin/sh' },
      stdin: 'null',
      outputMaxBytes: ANSWER_BYTES,
      ...(identity && { identity }),
    };
  }

  /** Runs a program to its end; answers its output of both streams. */
  async #run(file: string, args: readonly string[], identity: Identity | undefined): Promise<string> {
    const process = await this.#host.start({ ...this.#command([], identity), file, args });
    await process.ended;
    const { stdout, stderr } = process.output;
    const texts = [await stdout.read(0, ANSWER_BYTES), await stderr.read(0, ANSWER_BYTES)];
    process.acknowledgeExit();
    await process.output.remove();
    return texts.map(({ bytes }) => bytes.toString('utf8')).join('');
  }
}

function terminalOf(input: TmuxInput, pid: number): HostedTerminal {
  return {
    resize: (size) => input.resize(size),
    signalForeground: async (signal) => {
      const group = foregroundGroup(pid);
      try {
        return group !== undefined && process.kill(-group, signal);
      } catch {
        return false;
      }
    },
  };
}

function methodsOf(reader: HostedProcess): Pick<HostedProcess, 'id' | 'output' | 'acknowledgeExit' | 'endStdin'> {
  const { id, output } = reader;
  return { id, output, acknowledgeExit: () => reader.acknowledgeExit(), endStdin: () => reader.endStdin() };
}
