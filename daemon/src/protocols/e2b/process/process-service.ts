import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Implementations, RpcContext } from '../../../http/rpc/rpc-server.ts';
import type { Given, Read } from '../../../http/rpc/wire-types.ts';
import { withKeepalive } from '../../../http/streams/keepalive.ts';
import { type Accounts, basicUser } from '../accounts.ts';
import { type E2bCall, endedMessage } from '../call.ts';
import { keepaliveMs } from '../keepalive.ts';
import type { InitRecord } from '../state/sandboxes.ts';
import type { StartedRecord } from '../state/started.ts';
import { type ProcessApi, type ProcessEvent, type ProcessInput, SIGNALS, type StartRequest } from '../wire/process.ts';
import { commandEvents, IDLE, startOf, terminalEvents } from './process-events.ts';
import type { Program, Programs, Selector } from './programs.ts';

type Context = RpcContext<E2bCall>;
type Event = Given<typeof ProcessEvent>;
type Start = Read<typeof StartRequest>;
type Input = Read<typeof ProcessInput>;

interface ProcessTerms {
  readonly init: () => InitRecord;
  readonly isAlive: (sandboxId: string) => boolean;
}

/** The size of a terminal for which a client names none. */
const SIZE = { cols: 80, rows: 24 };

/** Commands and terminals under the names and rules of envd. */
export class ProcessService {
  readonly #programs: Programs;
  readonly #accounts: Accounts;
  readonly #init: () => InitRecord;
  readonly #isAlive: (sandboxId: string) => boolean;

  constructor(programs: Programs, accounts: Accounts, { init, isAlive }: ProcessTerms) {
    this.#programs = programs;
    this.#accounts = accounts;
    this.#init = init;
    this.#isAlive = isAlive;
  }

  get methods(): Implementations<(typeof ProcessApi)['methods'], E2bCall> {
    return {
      List: async (_request, { call }) => ({ processes: this.#programs.running(call.sandbox).map(processInfo) }),
      Connect: ({ process }, context) => this.#responses(this.#connect(process?.selector, context), context),
      Start: (request, context) => this.#responses(this.#start(request, context), context),
      Update: async ({ process, pty }, { call }) => {
        const { kind, state } = this.#programs.findRunning(process?.selector, call.sandbox);
        if (kind !== 'terminal') throw new SandboxError('invalid', 'the process has no terminal');
        this.#programs.terminals.resize(state.id, sizeOf(pty?.size));
        return {};
      },
      StreamInput: async (requests, { call, signal }) => {
        let target: Program | undefined;
        for await (const { event } of requests) {
          if (event.case === 'start') target = this.#programs.findRunning(event.value.process?.selector, call.sandbox);
          if (event.case !== 'data') continue;
          if (!target) throw new SandboxError('invalid', 'the first message must name the process');
          await this.#write(target, event.value.input, signal);
        }
        return {};
      },
      SendInput: async ({ process, input }, { call, signal }) => {
        await this.#write(this.#programs.findRunning(process?.selector, call.sandbox), input, signal);
        return {};
      },
      SendSignal: async ({ process, signal }, { call }) => {
        const name = signalName(signal);
        await this.#programs.end(this.#programs.findRunning(process?.selector, call.sandbox), name);
        return {};
      },
      CloseStdin: async ({ process }, { call }) => {
        const { kind, state } = this.#programs.findRunning(process?.selector, call.sandbox);
        if (kind === 'terminal') {
          throw new SandboxError('precondition', 'a terminal has no stdin to close: send Ctrl-D (0x04)');
        }
        await this.#programs.commands.closeStdin(state.id);
        return {};
      },
    };
  }

  async *#responses(events: AsyncGenerator<Event>, { call }: Context): AsyncGenerator<{ event: Event }> {
    for await (const event of withKeepalive(events, keepaliveMs(call.req.headers), IDLE)) {
      if (event.event?.case === 'end' && call.sandbox) this.#requireAlive(call.sandbox.id);
      yield { event };
    }
  }

  async *#start({ process, pty, tag, stdin }: Start, context: Context): AsyncGenerator<Event> {
    const { call, signal, timeoutMs } = context;
    if (process === undefined || process.cmd === '') throw new SandboxError('invalid', 'process.cmd is missing');
    const user = this.#accounts.userOf(basicUser(call.req.headers.authorization));
    const cwd = this.#accounts.directoryOf(process.cwd, user);
    // Shells keep this name of their directory, which may be a link (POSIX, PWD).
    const env = { ...this.#environmentOf(call), PWD: cwd, ...process.envs };
    const own = { program: process.cmd, args: process.args, cwd, env, user };
    const asked = {
      sandboxId: call.sandbox?.id ?? null,
      tag: tag ?? null,
      cmd: process.cmd,
      args: process.args,
      envs: process.envs,
      cwd: process.cwd ?? null,
    };
    const { commands, terminals } = this.#programs;
    if (pty) {
      const { id, pid } = await terminals.open({ ...own, ...sizeOf(pty.size) });
      await this.#note({ ...asked, id });
      yield startOf(requirePid(pid, 'the terminal did not start in time'));
      yield* terminalEvents(terminals, id, signal);
      return;
    }
    const request = {
      ...own,
      shownAs: shownAs(process),
      openStdin: stdin ?? true,
      hardTimeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
    };
    const { id, pid, message } = await commands.start(request, signal);
    await this.#note({ ...asked, id });
    yield startOf(requirePid(pid, message ?? 'the process did not start in time'));
    yield* commandEvents(commands, id, signal);
  }

  /** @throws SandboxError `unavailable` if the sandbox has ended while the program was started; it ends then */
  async #note(record: StartedRecord): Promise<void> {
    await this.#programs.note(record);
    const { sandboxId } = record;
    if (sandboxId === null || this.#isAlive(sandboxId)) return;
    await this.#programs.endOrphans(this.#isAlive);
    this.#requireAlive(sandboxId);
  }

  /** A program that ended with its sandbox has no status of its own: the clients then ask for the sandbox. */
  #requireAlive(sandboxId: string): void {
    if (!this.#isAlive(sandboxId)) throw new SandboxError('unavailable', endedMessage(sandboxId));
  }

  async *#connect(selector: Selector | undefined, { call, signal }: Context): AsyncGenerator<Event> {
    const { kind, state } = this.#programs.find(selector, call.sandbox);
    yield startOf(requirePid(state.pid, 'the process did not start'));
    const { commands, terminals } = this.#programs;
    yield* kind === 'command' ? commandEvents(commands, state.id, signal) : terminalEvents(terminals, state.id, signal);
  }

  async #write({ kind, state: { id } }: Program, input: Input | undefined, gone: AbortSignal): Promise<void> {
    const given = input?.input;
    if (given?.case === undefined) throw new SandboxError('invalid', 'the input is missing: give stdin or pty');
    if ((given.case === 'pty') !== (kind === 'terminal')) {
      throw new SandboxError(
        'invalid',
        `the process takes ${kind === 'terminal' ? 'pty' : 'stdin'}, not ${given.case}`,
      );
    }
    if (kind === 'terminal') await this.#programs.terminals.write(id, given.value, gone);
    else await this.#programs.commands.write(id, given.value, gone);
  }

  /** What the sandbox was created with, after what `/init` has set. */
  #environmentOf({ sandbox }: E2bCall): Record<string, string> {
    return {
      ...this.#init().envVars,
      ...sandbox?.envVars,
      E2B_SANDBOX: 'true',
      ...(sandbox && { E2B_SANDBOX_ID: sandbox.id, E2B_TEMPLATE_ID: sandbox.template }),
    };
  }
}

function processInfo({ kind, state, record }: Program) {
  const known =
    kind === 'command'
      ? { cmd: '/bin/bash', args: ['-c', state.text], cwd: undefined }
      : { cmd: state.program ?? '/bin/bash', args: state.args, cwd: state.cwd };
  const config = record
    ? { cmd: record.cmd, args: record.args, envs: record.envs, cwd: record.cwd ?? undefined }
    : { ...known, envs: {} };
  return { config, pid: state.pid ?? 0, tag: record?.tag ?? undefined };
}

/** The text of `bash -l -c TEXT`, which is how E2B's clients run a command, else all words. */
function shownAs({ cmd, args }: { readonly cmd: string; readonly args: readonly string[] }): string {
  const [login, option, text] = args;
  if (args.length === 3 && login === '-l' && option === '-c' && text !== undefined) return text;
  return [cmd, ...args].join(' ');
}

function sizeOf(size: { readonly cols?: number; readonly rows?: number } | undefined): typeof SIZE {
  return { cols: bounded(size?.cols, SIZE.cols), rows: bounded(size?.rows, SIZE.rows) };
}

function bounded(value: number | undefined, fallback: number): number {
  return value === undefined || value === 0 ? fallback : Math.min(value, 1000);
}

function signalName(signal: number): 'SIGTERM' | 'SIGKILL' {
  if (signal === SIGNALS.SIGNAL_SIGKILL) return 'SIGKILL';
  if (signal === SIGNALS.SIGNAL_SIGTERM) return 'SIGTERM';
  throw new SandboxError('unsupported', `signal ${signal} is not one of SIGTERM and SIGKILL`);
}

function requirePid(pid: number | null, message: string): number {
  if (pid !== null) return pid;
  throw new SandboxError('invalid', message);
}
