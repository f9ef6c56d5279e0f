import { randomBytes } from 'node:crypto';
import { SandboxError } from '../../../core/errors.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import { findTool } from '../../../core/tool-path.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type {
  Interpreter,
  InterpreterSpec,
  LanguageInfo,
  LanguageRequest,
  LanguageRuntime,
  ResolvedLanguage,
} from '../runtime/language-runtime.ts';
import { BashInterpreter } from './bash-interpreter.ts';

/** What is kept of a cell while no daemon reads it, for each stream. */
const OUTPUT_BYTES = 16 * 1024 * 1024;
/** Milliseconds in which bash names its version. */
const VERSION_MS = 5000;
const NAMES: ReadonlySet<string> = new Set(['bash', 'sh', 'shell']);

/** Runs cells of bash, each session in a shell that keeps directory, variables and functions. */
export class BashRuntime implements LanguageRuntime {
  readonly name = 'bash';
  readonly table = 'bash';
  readonly #processes: InterpreterProcesses;
  readonly #versions = new Map<string, Promise<string | null>>();

  constructor(processes: InterpreterProcesses) {
    this.#processes = processes;
  }

  async languages(): Promise<readonly LanguageInfo[]> {
    const command = this.#command();
    if (command === undefined) return [];
    const version = await this.#version(command);
    const description = `GNU bash${version === null ? '' : ` ${version}`}`;
    return [{ language: 'bash', aliases: ['sh', 'shell'], description, version, details: { command } }];
  }

  resolve({ language, kernelName }: LanguageRequest): Promise<ResolvedLanguage | undefined> {
    if (kernelName !== undefined || !NAMES.has(language.toLowerCase())) return Promise.resolve(undefined);
    const variant = this.#command();
    if (variant === undefined) {
      throw new SandboxError('unavailable', 'there is no bash on PATH', { hint: 'install bash' });
    }
    return Promise.resolve({ language: 'bash', variant, warnings: [] });
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
    await interpreter[Symbol.asyncDispose]();
    throw new SandboxError('unavailable', `bash does not start: ${said.trim().slice(-500)}`, {
      hint: 'run bash by hand to see why',
    });
  }

  attach(process: HostedProcess, state: unknown): Promise<Interpreter | undefined> {
    const token = (state as { readonly token?: unknown } | null)?.token;
    const isKnown = typeof token === 'string';
    return Promise.resolve(isKnown ? new BashInterpreter(process, this.#processes, token) : undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  #command(): string | undefined {
    const identity = this.#processes.runContext.identityOf(undefined);
    return findTool('bash', this.#processes.environment(identity)['PATH']);
  }

  #version(command: string): Promise<string | null> {
    const known = this.#versions.get(command) ?? this.#ask(command);
    this.#versions.set(command, known);
    return known;
  }

  async #ask(command: string): Promise<string | null> {
    const identity = this.#processes.runContext.identityOf(undefined);
    const text = await this.#processes.outputOf(identity, command, ['-c', 'printf %s "$BASH_VERSION"'], VERSION_MS);
    return /^\d+(?:\.\d+){1,2}/.exec(text ?? '')?.[0] ?? null;
  }
}
