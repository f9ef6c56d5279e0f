import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import { isPythonName } from '../kernel/find/kernel-finder.ts';
import type {
  Interpreter,
  InterpreterSpec,
  LanguageInfo,
  LanguageRequest,
  LanguageRuntime,
  ResolvedLanguage,
} from '../runtime/language-runtime.ts';
import { JupyterServer, type OutsideSpec } from './jupyter-server.ts';
import { OutsideKernel } from './outside-kernel.ts';
import { outsideKernelId } from './outside-process.ts';

/** Milliseconds that a kernel of an earlier daemon may take to answer: the daemon is not ready before. */
const RECLAIM_MS = 15_000;

/** Runs cells in kernels of a Jupyter server elsewhere, for calls that ask for it. */
export class OutsideRuntime implements LanguageRuntime {
  readonly name = 'outside';
  readonly table = 'kernel';
  readonly #server: JupyterServer;

  constructor(endpoint: string) {
    this.#server = new JupyterServer(endpoint);
  }

  /** Names of its kernels, the default one first. @throws SandboxError `unavailable` */
  async kernelNames(): Promise<string[]> {
    return (await this.#server.specs()).map(({ name }) => name);
  }

  /** They are not among those of this machine. */
  languages(): Promise<readonly LanguageInfo[]> {
    return Promise.resolve([]);
  }

  async resolve({ isOutside, kernelName, language }: LanguageRequest): Promise<ResolvedLanguage | undefined> {
    if (!isOutside) return undefined;
    const wanted = kernelName ?? language;
    const specs = await this.#server.specs();
    const exact = specs.find(({ name }) => name === wanted);
    if (exact) return resolved(exact, []);
    const python = isPythonName(wanted) ? specs.find((spec) => spec.language === 'python') : undefined;
    if (python) return resolved(python, [`${wanted} is not installed: ${python.name} runs the cell`]);
    const list = specs.map(({ name }) => name).join(', ');
    throw new SandboxError('unprocessable', `is not installed: ${wanted}; the Jupyter server has ${list}`, {
      field: 'kernelName',
    });
  }

  async open({ variant, cwd }: InterpreterSpec): Promise<Interpreter> {
    const id = await this.#server.start(variant);
    const kernel = await OutsideKernel.connect(this.#server, id).catch(async (error: unknown) => {
      await this.#server.delete(id);
      throw error;
    });
    try {
      await kernel.ready();
      if (cwd !== '') await kernel.enter(cwd);
      return kernel;
    } catch (error) {
      await kernel[Symbol.asyncDispose]();
      if (error instanceof SandboxError) throw error;
      throw new SandboxError('invalid', `cwd is not a directory of the Jupyter server: ${cwd}`, { cause: error });
    }
  }

  attach(_process: HostedProcess): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async reclaim(processId: string): Promise<Interpreter | undefined> {
    const id = outsideKernelId(processId);
    if (id === undefined || !(await this.#server.has(id))) return undefined;
    const connecting = OutsideKernel.connect(this.#server, id);
    if ((await waitFor(connecting, { ms: RECLAIM_MS })) === 'settled') return await connecting;
    connecting.then((late) => late[Symbol.asyncDispose](), ignore);
    return undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

function resolved({ name, language }: OutsideSpec, warnings: readonly string[]): ResolvedLanguage {
  return { language: language === 'python' ? 'python' : name, variant: name, warnings };
}
