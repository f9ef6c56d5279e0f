import { createHash, randomUUID } from 'node:crypto';
import { chownSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Identity } from '../../../core/account/identity.ts';
import { errnoName } from '../../../core/errno-name.ts';
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
import type { ExecFiles } from '../exec/exec-files.ts';
import { TmuxInput } from './tmux-input.ts';
import { repaintOf } from './tmux-repaint.ts';

/** Bytes kept of what tmux itself says. */
const ANSWER_BYTES = 65_536;

/** Milliseconds between two looks at a program, and how often tmux is asked how it ended. */
const LOOK_MS = 100;
const LOOKS = 20;

/** A server that ended with its last session would take the socket of the one after it along. */
const STAY = ['start-server', ';', 'set-option', '-g', 'exit-empty', 'off'];

/** What sessions need of whoever holds their terminals. */
export interface TerminalHost {
  start(spec: StartSpec): Promise<HostedProcess>;
  signal(targets: readonly ProcessTarget[], signal: string): Promise<number>;
  living(targets: readonly ProcessTarget[]): Promise<number>;
}

/**
 * Holds each terminal in a session of a tmux server of our own. What comes out of it goes through a pipe (`pipe-pane`)
 * into the log of a process that the host holds; what is typed goes through a client in control mode.
 */
export class TmuxHost implements TerminalHost, AsyncDisposable {
  readonly #host: TerminalHost;
  readonly #files: ExecFiles;
  readonly #server: string;
  /** Whose servers there are: each account has its own. */
  readonly #users = new Map<number | undefined, Identity | undefined>();

  /** The server is named after the runtime directory: a daemon that comes back finds its own. */
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
    const { id, terminal = { cols: 80, rows: 24 }, cwd, env, identity } = spec;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const command = ['env', '-i', ...variables, spec.file, ...spec.args].map(literal);
    const { reader, pipe } = await this.#reader(spec);
    const size = ['-x', String(terminal.cols), '-y', String(terminal.rows)];
    const created = ['new-session', '-d', '-P', '-F', '#{pane_pid}', '-s', id, ...size, '-c', cwd, '--', ...command];
    const at = ['-t', `=${id}:`];
    const options = ['set-option', '-p', ...at, 'remain-on-exit', 'on'];
    this.#users.set(identity?.uid, identity);
    const answer = await this.#tmux([...STAY, ';', ...created, ';', ...options, ';', ...pipe], identity);
    const pid = Number(answer.trim());
    if (pid > 0) return this.#adopt(reader, id, pid, identity);
    await this.#host.signal([{ id, pid: reader.pid, running: true }], 'SIGKILL');
    reader.acknowledgeExit();
    throw new StartFailure(`tmux did not open a session: ${answer.trim()}`, 126);
  }

  /**
   * Takes up a session that an earlier daemon opened: `reader` reads on where the host held it, else a new one does.
   * Undefined where tmux has no such session.
   */
  async resume(name: string, spec: StartSpec, reader: HostedProcess | undefined): Promise<HostedProcess | undefined> {
    const answer = await this.#tmux(['display-message', '-p', '-t', `=${name}:`, '#{pane_pid}'], spec.identity);
    const pid = Number(answer.trim());
    if (!(pid > 0)) return undefined;
    this.#users.set(spec.identity?.uid, spec.identity);
    if (reader !== undefined) return this.#adopt(reader, name, pid, spec.identity);
    const { begin, first } = repaintOf(['tmux', ...this.#options].join(' '), name);
    const fresh = await this.#reader(spec, name, `${first}; `);
    await this.#tmux(['pipe-pane', '-t', `=${name}:`, ';', ...begin, ...fresh.pipe], spec.identity);
    return this.#adopt(fresh.reader, name, pid, spec.identity);
  }

  /** Ends the servers, of every account that had one, with what is left in them. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const identity of this.#users.values()) await this.#tmux(['kill-server'], identity).catch(() => '');
  }

  /** The process whose output is the history, and the command that makes tmux feed it, after what `first` says. */
  async #reader(
    spec: StartSpec,
    name: string = spec.id,
    first = '',
  ): Promise<{ reader: HostedProcess; pipe: string[] }> {
    const { path, remove } = this.#files.reserve(undefined);
    await this.#run('mkfifo', ['-m', '600', path], undefined);
    if (spec.identity) chownSync(path, spec.identity.uid, spec.identity.gid);
    const { terminal: _, ...rest } = spec;
    const env = { PATH: spec.env['PATH'] ?? '/usr/bin:/bin', SVC_COMMAND_ID: spec.id };
    const reader = await this.#host.start({ ...rest, file: 'cat', args: [path], cwd: '/', env });
    void reader.ended.then(remove);
    return { reader, pipe: ['pipe-pane', '-O', '-t', `=${name}:`, `exec > ${path}; ${first}exec cat`] };
  }

  async #adopt(
    reader: HostedProcess,
    name: string,
    pid: number,
    identity: Identity | undefined,
  ): Promise<HostedProcess> {
    const control = await this.#host.start({
      ...this.#command(['-C', 'attach-session', '-f', 'no-output,ignore-size', '-t', `=${name}`], identity),
      stdin: 'pipe',
    });
    const input = new TmuxInput(control, name);
    const ended = Promise.race([gone(pid), reader.ended]).then(async () => {
      const how = await this.#endOf(name, identity);
      await this.#discard([control]);
      return { ...(await reader.ended), ...how };
    });
    const terminal = terminalOf(input, pid);
    return { ...methodsOf(reader), ended, pid, terminal, writeStdin: (bytes, signal) => input.write(bytes, signal) };
  }

  /** How the program ended, which tmux keeps until its session is told to go. */
  async #endOf(name: string, identity: Identity | undefined): Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>> {
    const format = '#{pane_dead_status},#{pane_dead_signal},#{pid}';
    try {
      let [status, signal] = ['', ''];
      for (let look = 0; look < LOOKS && status === '' && signal === ''; look += 1) {
        if (look > 0) await delay(LOOK_MS);
        const answer = await this.#tmux(['display-message', '-p', '-t', `=${name}:`, format], identity);
        const [, code = '', by = '', server = ''] = /^(\d*),(\d*),(\d+)$/.exec(answer.trim()) ?? [];
        if (server === '') break;
        [status, signal] = [code, by];
        // tmux misses the end of a child at times, and looks for it when it is told again.
        process.kill(Number(server), 'SIGCHLD');
      }
      await this.#tmux(['kill-session', '-t', `=${name}`], identity);
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

  /** Runs it to its end; answers what it wrote to both streams. */
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

/** Resolves when the process runs no more. It is looked for, since tmux misses the end of a child at times. */
async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await delay(LOOK_MS, undefined, { ref: false });
}

function isRunning(pid: number): boolean {
  try {
    if (!existsSync('/proc/self/stat')) return process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    return errnoName(error) === 'EPERM';
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

/** tmux takes a semicolon at the end of an argument for the end of its command. */
function literal(argument: string): string {
  return argument.endsWith(';') ? `${argument.slice(0, -1)}\\;` : argument;
}
