import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { Dialect, Held } from '../held/channel-interpreter.ts';
import { attachChannel, openChannel } from '../held/open-channel.ts';
import { isPythonName } from '../kernel/find/kernel-finder.ts';
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
/** Versions that name a program. */
const PROGRAM = /^python3(?:\.\d{1,2})?$/;

const DIALECT: Dialect = {
  prepare: ({ code }) => Promise.resolve({ message: { code } }),
  force: [
    {
      afterMs: SIGNAL_AFTER_MS,
      act: ({ processes, process }: Held) => processes.signal(process, 'SIGINT'),
    },
  ],
};

/** Runs Python if no kernel can: bindings, values and tracebacks, without rich output. */
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
    if (!isPythonName(name)) return undefined;
    const wanted = version ?? (/\d/.test(name) ? name : 'python3');
    const program = wanted.toLowerCase().replace(/^(?:i?python|py)?(?=\d)/, 'python');
    const exact = PROGRAM.test(program) ? this.#python.find(program) : undefined;
    const command = exact ?? this.#python.find('python3');
    if (command === undefined) return undefined;
    const found = exact === undefined ? await this.#python.version(command) : null;
    const isServed = exact !== undefined || isNamed(program, found);
    const warning = `${wanted} is not installed: python3 (${found ?? 'unknown version'}) runs the cell`;
    return { language: 'python', variant: command, warnings: isServed ? [] : [warning] };
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
