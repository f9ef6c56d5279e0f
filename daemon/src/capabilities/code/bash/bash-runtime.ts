import { randomBytes } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
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
import { startError } from '../runtime/start-failure.ts';
import { BashInterpreter } from './bash-interpreter.ts';

/** What is kept of a cell while no daemon reads it, for each stream. */
const OUTPUT_BYTES = 16 * 1024 * 1024;
const VERSION = { args: ['-c', 'printf %s "$BASH_VERSION"'], pattern: /^(\d+(?:\.\d+){1,2})/, ms: 5000 } as const;
const NAMES: ReadonlySet<string> = new Set(['bash', 'sh', 'shell']);

/** Runs cells of bash, each session in a shell that keeps directory, variables and functions. */
export class BashRuntime implements LanguageRuntime {
  readonly name = 'bash';
  readonly table = 'bash';
  readonly #processes: InterpreterProcesses;
  readonly #bash: AccountProgram;

  constructor(processes: InterpreterProcesses) {
    this.#processes = processes;
    this.#bash = new AccountProgram(processes, VERSION);
  }

  async languages(): Promise<readonly LanguageInfo[]> {
    const command = this.#bash.find('bash');
    if (command === undefined) return [];
    const version = await this.#bash.version(command);
    const description = `GNU bash${version === null ? '' : ` ${version}`}`;
    return [{ language: 'bash', aliases: ['sh', 'shell'], description, version, details: { command } }];
  }

  async resolve({ language, kernelName, version }: LanguageRequest): Promise<ResolvedLanguage | undefined> {
    if (kernelName !== undefined || !NAMES.has(language.toLowerCase())) return undefined;
    const variant = this.#bash.find('bash');
    if (variant === undefined) {
      throw new SandboxError('unavailable', 'bash not found on PATH', { hint: 'install bash' });
    }
    if (version === undefined) return { language: 'bash', variant, warnings: [] };
    const found = (await this.#bash.version(variant)) ?? 'unknown version';
    const isServed = `${found}.`.startsWith(`${version.replace(/^bash/i, '')}.`);
    const warning = `bash ${version} is not installed: bash (${found}) runs the cell`;
    return { language: 'bash', variant, warnings: isServed ? [] : [warning] };
  }

  async open(spec: InterpreterSpec): Promise<Interpreter> {
    const token = randomBytes(16).toString('hex');
    const process = await this.#processes.start(spec, {
      runtime: this.name,
      file: spec.variant,
      args: ['--norc', '--noprofile', '--noediting', '+m', '-i'],
      stdin: 'pipe',
      state: { token },
      outputMaxBytes: OUTPUT_BYTES,
    });
    const interpreter = new BashInterpreter(process, this.#processes, token);
    const said = await interpreter.prepare();
    if (said === undefined) return interpreter;
    const failure = await startError(process, {
      what: 'bash',
      instead: 'it did not answer',
      said: said.trim().slice(-500),
      hint: 'run bash by hand to see why',
    });
    await interpreter[Symbol.asyncDispose]();
    throw failure;
  }

  attach(process: HostedProcess, state: unknown): Promise<Interpreter | undefined> {
    const token = (state as { readonly token?: unknown } | null)?.token;
    const isKnown = typeof token === 'string';
    return Promise.resolve(isKnown ? new BashInterpreter(process, this.#processes, token) : undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
