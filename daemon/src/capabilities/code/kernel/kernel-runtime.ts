import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { onAbort } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { AccountDirectory } from '../runtime/account-directories.ts';
import { hasEnded } from '../runtime/has-ended.ts';
import type { InterpreterProcesses, InterpreterProgram } from '../runtime/interpreter-processes.ts';
import type {
  Interpreter,
  InterpreterSpec,
  LanguageInfo,
  LanguageRequest,
  LanguageRuntime,
  ResolvedLanguage,
} from '../runtime/language-runtime.ts';
import { startError } from '../runtime/start-failure.ts';
import { isPythonName, type Kernel, KernelFinder } from './find/kernel-finder.ts';
import { KernelClient, type KernelConnection } from './kernel-client.ts';
import { newConnection, writeConnectionFile } from './kernel-connection.ts';
import { KernelInterpreter } from './kernel-interpreter.ts';
import { Zygotes } from './zygote/zygote.ts';

/** Milliseconds that a kernel may take to start. */
const START_MS = 60_000;
/** Milliseconds that a kernel of an earlier daemon may take to answer. */
const ATTACH_MS = 3000;

const HINT = 'pip install ipykernel, or apt-get install python3-ipykernel';
const HINT_OF_COMMAND = 'run its command by hand to see why; GET /v2/code/info lists the kernels';

/** What a new kernel is reached by. */
interface ConnectionFiles {
  readonly connection: KernelConnection;
  /** The path of the connection file. */
  readonly file: string;
}

/** What `attach` needs of a kernel. */
interface KernelState {
  readonly connection: KernelConnection;
  readonly directory: string;
  readonly interruptMode: 'signal' | 'message';
  readonly isRecorded: boolean;
}

export interface KernelTerms {
  /** Python without ipykernel is unavailable, and no other interpreter serves it. */
  readonly isRequired: boolean;
  /** A process that has imported what kernels need forks them, as far as it can. */
  readonly isForked: boolean;
  /** Modules of Python that warm kernels import; one that is missing is left out. */
  readonly preload: readonly string[];
}

/** Runs Python and every other language that has a Jupyter kernel. */
export class KernelRuntime implements LanguageRuntime {
  readonly name = 'kernel';
  readonly table = 'kernel';
  readonly finder: KernelFinder;
  readonly #processes: InterpreterProcesses;
  readonly #isRequired: boolean;
  readonly #isForked: boolean;
  readonly #preload: readonly string[];
  readonly #zygotes: Zygotes;
  #warming: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(processes: InterpreterProcesses, { isRequired, isForked, preload }: KernelTerms) {
    this.#processes = processes;
    this.#isRequired = isRequired;
    this.#isForked = isForked;
    this.#preload = preload;
    this.#zygotes = new Zygotes(processes, preload);
    this.finder = new KernelFinder(processes);
  }

  /** Starts the zygote of the default account in the background, that many milliseconds from now. */
  warmAfter(ms: number): void {
    this.#warming = setTimeout(() => void this.#warm().catch(ignore), ms).unref();
  }

  /** Processes that are ready to fork kernels. */
  get zygotes(): number {
    return this.#zygotes.ready;
  }

  async languages(): Promise<readonly LanguageInfo[]> {
    const kernels = await this.finder.kernels();
    const python = kernels.find((kernel) => kernel.python !== undefined);
    const others = kernels.filter((kernel) => kernel.python === undefined);
    return [
      ...(python ? [pythonInfo(python, kernels)] : []),
      ...others.map(({ name, displayName, language }) => ({
        language: name,
        aliases: [],
        description: `${displayName} (Jupyter kernel)`,
        version: null,
        details: { kernelLanguage: language },
      })),
    ];
  }

  async resolve({ language, kernelName, version }: LanguageRequest): Promise<ResolvedLanguage | undefined> {
    const name = kernelName ?? language;
    const exact = isPythonName(name) && kernelName === undefined ? undefined : await this.finder.named(name);
    if (exact) return resolved(exact, []);
    if (!isPythonName(name)) return undefined;
    const wanted = version ?? name;
    const found = await this.finder.python(wanted);
    if (found) {
      const { kernel, isExact } = found;
      const served = `${wanted} is not installed: ${kernel.name} (${kernel.python?.version}) runs the cell`;
      return resolved(kernel, isExact ? [] : [served]);
    }
    if (!this.#isRequired) return undefined;
    throw new SandboxError('unavailable', 'no Python on PATH has ipykernel', { hint: HINT });
  }

  async open(spec: InterpreterSpec): Promise<Interpreter> {
    const kernel = await this.finder.named(spec.variant);
    if (kernel === undefined) throw unavailable(spec.variant, 'it is no longer installed');
    // `make` calls it again elsewhere if the first disk is full.
    let files: ConnectionFiles | undefined;
    const fill = (path: string): void => {
      const connection = newConnection(path);
      files = { connection, file: writeConnectionFile(path, connection, spec) };
    };
    const directory = this.#processes.directories.make(spec.identity, fill);
    try {
      if (files === undefined) throw new Error('the connection file was not written');
      return await this.#start(spec, kernel, directory, files);
    } catch (error) {
      directory[Symbol.dispose]();
      throw error;
    }
  }

  async attach(process: HostedProcess, state: unknown): Promise<Interpreter | undefined> {
    const { connection, directory: path, interruptMode, isRecorded } = state as KernelState;
    const directory = this.#processes.directories.find(path);
    if (directory === undefined || (await hasEnded(process))) return undefined;
    const client = await KernelClient.connect(connection, { ms: ATTACH_MS, signal: this.#closing.signal }).catch(
      () => undefined,
    );
    if (client === undefined) return undefined;
    const processes = this.#processes;
    if (await client.beats(ATTACH_MS)) {
      return new KernelInterpreter({ process, client, directory, processes, interruptMode, isRecorded });
    }
    client[Symbol.dispose]();
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#warming);
    this.#closing.abort();
    await this.#zygotes[Symbol.asyncDispose]();
  }

  async #warm(): Promise<void> {
    const [python] = await this.finder.pythons();
    if (python) this.#zygotes.warm(this.finder.identity, python);
  }

  async #start(
    spec: InterpreterSpec,
    kernel: Kernel,
    directory: AccountDirectory,
    { connection, file }: ConnectionFiles,
  ): Promise<Interpreter> {
    const [program = '', ...args] = kernel.argv.map((argument) => argument.replaceAll('{connection_file}', file));
    const { interruptMode, env } = kernel;
    const isRecorded = kernel.python !== undefined;
    const state: KernelState = { connection, directory: directory.path, interruptMode, isRecorded };
    const given = { runtime: this.name, file: program, args, stdin: 'null', env, state } as const;
    const process = (await this.#fork(spec, kernel, file, given)) ?? (await this.#processes.start(spec, given));
    const client = await this.#connect(process, connection, kernel.name);
    const processes = this.#processes;
    const made = new KernelInterpreter({ process, client, directory, processes, interruptMode, isRecorded });
    if (spec.isWarm && kernel.python) await made.preload(this.#preload);
    return made;
  }

  /** Undefined if the kernel has to be started in the ordinary way. */
  #fork(spec: InterpreterSpec, { python }: Kernel, file: string, given: InterpreterProgram) {
    if (python === undefined || !this.#isForked) return undefined;
    return this.#zygotes.fork(spec, python, { ...given, file: 'ipykernel_launcher', args: ['-f', file] });
  }

  /** @throws SandboxError `unavailable` if the kernel ends or does not answer; it is then ended */
  async #connect(process: HostedProcess, connection: KernelConnection, name: string): Promise<KernelClient> {
    const begun = performance.now();
    const stop = new AbortController();
    using _closing = onAbort(this.#closing.signal, () => stop.abort(new Error('the service stops')));
    void process.ended.then(() => stop.abort(new Error('it has ended')));
    let client: KernelClient | undefined;
    try {
      client = await KernelClient.connect(connection, { ms: START_MS, signal: stop.signal });
      await client.awaitPublished('shell', START_MS, stop.signal);
      return client;
    } catch (error) {
      client?.[Symbol.dispose]();
      if (this.#closing.signal.aborted) {
        await this.#processes.end(process);
        throw unavailable(name, 'the service stops');
      }
      const seconds = Math.round((performance.now() - begun) / 1000);
      const failure = await startError(process, {
        what: `the kernel ${name}`,
        instead: `${error instanceof Error ? error.message : error} (after ${seconds} s)`,
        said: await lastLine(process),
        hint: HINT_OF_COMMAND,
      });
      await this.#processes.end(process);
      throw failure;
    }
  }
}

function resolved({ name, python }: Kernel, warnings: readonly string[]): ResolvedLanguage {
  return { language: python ? 'python' : name, variant: name, warnings };
}

function pythonInfo({ python }: Kernel, kernels: readonly Kernel[]): LanguageInfo {
  const own = kernels.filter((kernel) => kernel.python !== undefined);
  return {
    language: 'python',
    aliases: ['python3', 'py', ...own.map(({ name }) => name).filter((name) => name !== 'python3')],
    description: 'Python in an IPython kernel',
    version: python?.version ?? null,
    details: { executable: python?.executable, ipykernel: python?.ipykernel, kernels: own.map(({ name }) => name) },
  };
}

function unavailable(name: string, why: string): SandboxError {
  return new SandboxError('unavailable', `the kernel ${name} does not start: ${why}`, { hint: HINT_OF_COMMAND });
}

/** The end of what the kernel wrote to stderr, for the message of an error. */
async function lastLine({ output }: HostedProcess): Promise<string> {
  const { stderr } = output;
  const from = Math.max(stderr.first, stderr.end - 2000);
  const { bytes } = await stderr.read(from, stderr.end - from);
  return bytes.toString('utf8').trim().split('\n').at(-1)?.slice(-300) ?? '';
}
