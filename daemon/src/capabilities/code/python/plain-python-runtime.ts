import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { Dialect, Held } from '../held/channel-interpreter.ts';
import { attachChannel, openChannel } from '../held/open-channel.ts';
import { AccountProgram } from '../runtime/account-program.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type {
  Interpreter,
  InterpreterSpec,
  LanguageInfo,
  LanguageRequest,
  LanguageRuntime,
  ResolvedLanguage,
} from '../runtime/language-runtime.ts';
import { PYTHON_HOST } from './plain-python-host.ts';

const VERSION = { args: ['--version'], pattern: /^Python (\d+(?:\.\d+){1,2})/, ms: 10_000 } as const;
/** Milliseconds after which what the cell started is interrupted too. */
const SIGNAL_AFTER_MS = 700;
const NAME = /^(?:python|python3|py)$|^python3\.\d{1,2}$/;

const DIALECT: Dialect = {
  prepare: ({ code }) => Promise.resolve({ message: { code } }),
  force: [
    {
      afterMs: SIGNAL_AFTER_MS,
      act: ({ processes, process }: Held) => processes.signal(process, 'SIGINT'),
    },
  ],
};

/** Runs Python where no kernel can: bindings, values and tracebacks, without rich output. */
export class PlainPythonRuntime implements LanguageRuntime {
  readonly name = 'python';
  readonly table = 'kernel';
  readonly #processes: InterpreterProcesses;
  readonly #python: AccountProgram;

  constructor(processes: InterpreterProcesses) {
    this.#processes = processes;
    this.#python = new AccountProgram(processes, VERSION);
  }

  async languages(): Promise<readonly LanguageInfo[]> {
    const command = this.#python.find('python3');
    if (command === undefined) return [];
    return [
      {
        language: 'python',
        aliases: ['python3', 'py'],
        description: 'Python without a Jupyter kernel',
        version: await this.#python.version(command),
        details: { command, isPlain: true },
      },
    ];
  }

  async resolve({ language, version, kernelName }: LanguageRequest): Promise<ResolvedLanguage | undefined> {
    const name = kernelName ?? language;
    if (!NAME.test(name)) return undefined;
    const wanted = [version, name].find((each) => each !== undefined && /^python3\.\d/.test(each));
    const exact = wanted === undefined ? undefined : this.#python.find(wanted);
    const command = exact ?? this.#python.find('python3');
    if (command === undefined) return undefined;
    const isOther = wanted !== undefined && exact === undefined;
    const found = isOther ? await this.#python.version(command) : null;
    const warning = `${wanted} is not installed: python3 (${found ?? 'unknown version'}) runs the cell`;
    return { language: 'python', variant: command, warnings: isOther && !isNamed(wanted, found) ? [warning] : [] };
  }

  open(spec: InterpreterSpec): Promise<Interpreter> {
    return openChannel(this.#processes, spec, {
      runtime: this.name,
      file: spec.variant,
      args: ({ token, directory }, mark) => ['-u', '-c', PYTHON_HOST, token, directory, mark],
      dialect: DIALECT,
    });
  }

  attach(process: HostedProcess, state: unknown): Promise<Interpreter | undefined> {
    return attachChannel(this.#processes, process, state, DIALECT);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

/** `python3.11` names 3.11.2. */
function isNamed(name: string, version: string | null): boolean {
  return version !== null && `python${version}.`.startsWith(`${name}.`);
}
