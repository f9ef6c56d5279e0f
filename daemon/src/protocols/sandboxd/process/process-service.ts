import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { CommandsPort, ProgramEvent } from '../../../core/ports/commands-port.ts';
import type { TerminalEvent, TerminalsPort } from '../../../core/ports/terminals-port.ts';
import type { ProtocolCall } from '../../../http/protocols/protocol.ts';
import type { Implementations, RpcContext } from '../../../http/rpc/rpc-server.ts';
import type { Given, Read } from '../../../http/rpc/wire-types.ts';
import { Refused } from '../answers.ts';
import { readToEnd } from '../ran.ts';
import type { Root } from '../root.ts';
import type { RootedFiles } from '../rooted-files.ts';
import { Processes } from './processes.ts';
import { type ProcessApi, type ProcessConfig, SIGNALS, type StartRequest, type StartResponse } from './wire.ts';

type Config = Read<typeof ProcessConfig>;
type Start = Read<typeof StartRequest>;
type Event = Given<typeof StartResponse>;
type Context = RpcContext<ProtocolCall>;

interface ProcessTerms {
  readonly commands: CommandsPort;
  readonly terminals: TerminalsPort;
  readonly root: Root;
  readonly files: RootedFiles;
  /** Fires when the service stops. */
  readonly closing: AbortSignal;
}

/** Bytes of both streams that one answer carries. */
const OUTPUT_BYTES = 8 * 1024 ** 2 - 1024;
/** The exit code of what a signal has ended, as Go reports it. */
const BY_SIGNAL = -1;
const END_OF_TRANSMISSION = Buffer.from([0x04]);
const INTERRUPT = Buffer.from([0x03]);

/** Commands and terminals under the names and rules of sandboxd. */
export class ProcessService {
  readonly #terms: ProcessTerms;
  readonly #processes = new Processes();

  constructor(terms: ProcessTerms) {
    this.#terms = terms;
  }

  get methods(): Implementations<(typeof ProcessApi)['methods'], ProtocolCall> {
    const { commands, terminals } = this.#terms;
    return {
      Start: (request, context) => this.#start(request, context),
      Execute: ({ config }, context) => this.#execute(config, context),
      WriteStdin: async ({ processId, payload }, { signal }) => {
        const { kind, id } = this.#processes.find(processId);
        if (payload.case === 'input') {
          if (kind === 'command') await commands.write(id, payload.value, signal);
          else await terminals.write(id, payload.value, signal);
        } else if (payload.case === 'eof') {
          if (kind === 'command') await commands.closeStdin(id);
          else await terminals.write(id, END_OF_TRANSMISSION, signal);
        }
        return {};
      },
      SendSignal: async ({ processId, signal }, context) => {
        await this.#signal(processId, signal, context.signal);
        return {};
      },
      ResizeTTY: async ({ processId, cols, rows }) => {
        const { kind, id } = this.#processes.find(processId);
        if (kind === 'command') throw new SandboxError('precondition', 'the process has no terminal');
        terminals.resize(id, { cols, rows });
        return {};
      },
    };
  }

  async #signal(processId: number, signal: number, gone: AbortSignal): Promise<void> {
    const { kind, id } = this.#processes.find(processId);
    const name = Object.entries(SIGNALS)
      .find(([, number]) => number === signal && number !== 0)?.[0]
      .slice(7);
    if (name === undefined) throw new SandboxError('invalid', 'signal: expected SIGINT, SIGTERM or SIGKILL');
    if (kind === 'command') await this.#terms.commands.signal(id, name);
    else if (name === 'SIGINT') await this.#terms.terminals.write(id, INTERRUPT, gone);
    else await this.#terms.terminals.close(id, name === 'SIGKILL' ? 0 : undefined);
  }

  async #execute(config: Config | undefined, { signal, timeoutMs }: Context) {
    const own = await this.#programOf(config);
    const { commands, closing } = this.#terms;
    const started = await commands.start({ ...own, openStdin: false, hardTimeout: secondsOf(timeoutMs) }, signal);
    requireStarted(started);
    try {
      const { stdout, stderr, end } = await readToEnd(commands, started.id, OUTPUT_BYTES, signal);
      signal.throwIfAborted();
      const output = { stdout: stdout.bytes, stderr: stderr.bytes };
      if (output.stdout.length + output.stderr.length + stdout.left + stderr.left > OUTPUT_BYTES) {
        throw new SandboxError('too_large', `the output has over ${OUTPUT_BYTES} bytes: use Start`);
      }
      return { exitCode: codeOf(end), ...output };
    } finally {
      if (signal.aborted && !closing.aborted) await commands.signal(started.id, 'SIGKILL').catch(() => undefined);
    }
  }

  async *#start({ config, pty }: Start, context: Context): AsyncGenerator<Event> {
    const { commands, terminals, closing } = this.#terms;
    const own = await this.#programOf(config);
    const { signal } = context;
    const kind = pty ? 'terminal' : 'command';
    const started = pty
      ? await terminals.open({ ...own, cols: pty.cols || 80, rows: pty.rows || 24 })
      : await commands.start({ ...own, openStdin: true, hardTimeout: secondsOf(context.timeoutMs) }, signal);
    requireStarted({ message: 'the terminal did not start in time', ...started });
    const processId = this.#processes.add({ kind, id: started.id });
    let isOver = false;
    try {
      yield { event: { case: 'init', value: { processId } } };
      for await (const event of (pty ? terminals : commands).follow(started.id, signal)) {
        isOver = event.type === 'exit';
        yield eventOf(event);
      }
    } finally {
      this.#processes.remove(processId);
      // The client has left, or its deadline has passed: the protocol ends the process. A stop of the service does not.
      if (!isOver && !closing.aborted) await this.#kill(kind, started.id);
    }
  }

  async #kill(kind: 'command' | 'terminal', id: string): Promise<void> {
    const { commands, terminals } = this.#terms;
    const killed = kind === 'command' ? commands.signal(id, 'SIGKILL') : terminals.close(id, 0);
    await killed.catch(() => undefined);
  }

  async #programOf(config: Config | undefined) {
    const [program, ...args] = config?.command ?? [];
    if (config === undefined || !program) throw new SandboxError('invalid', 'command is required');
    const cwd = config.cwd ? await this.#directoryOf(config.cwd) : await inItsWords(this.#terms.root.directory());
    const shownAs = config.command.join(' ');
    return { program, args, shownAs, cwd, env: { ...config.envVars }, user: undefined };
  }

  async #directoryOf(given: string): Promise<string> {
    const { root, files } = this.#terms;
    const found = root.enter(given, async ({ path }) => {
      if ((await files.stat(path)).isDirectory()) return path;
      throw new Refused(400, `cwd is not a directory: ${given}`);
    });
    const path = await inItsWords(found);
    if (typeof path === 'string') return path;
    throw new SandboxError('invalid', 'cwd is not UTF-8');
  }
}

function eventOf(event: ProgramEvent | TerminalEvent): Event {
  if (event.type === 'exit') return { event: { case: 'exit', value: { exitCode: codeOf(event.state) } } };
  // The bytes are valid until the next event is asked for.
  return { event: { case: 'stream' in event ? event.stream : 'stdout', value: Buffer.from(event.bytes) } };
}

/** @throws SandboxError `not_found`, `forbidden`, `invalid` */
function requireStarted({ pid, message }: { readonly pid: number | null; readonly message: string | null }): void {
  if (pid !== null) return;
  const text = message ?? 'the command did not start';
  if (/ENOENT|no such|not found/i.test(text)) throw new SandboxError('not_found', `command or path not found: ${text}`);
  if (/EACCES|EPERM|permission/i.test(text)) throw new SandboxError('forbidden', text);
  throw new SandboxError('invalid', text);
}

function codeOf(end: { readonly exitCode: number | null; readonly signal: string | null } | undefined): number {
  return end === undefined || end.signal !== null ? BY_SIGNAL : (end.exitCode ?? BY_SIGNAL);
}

function secondsOf(timeoutMs: number | undefined): number | undefined {
  return timeoutMs === undefined ? undefined : Math.max(timeoutMs / 1000, 0.001);
}

const KINDS = { 400: 'invalid', 403: 'forbidden', 404: 'not_found', 503: 'unavailable' } as const;

/** Refusals of the files below the root, as errors of a call. */
async function inItsWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new SandboxError(KINDS[error.status as keyof typeof KINDS] ?? 'io', error.message);
  }
}
