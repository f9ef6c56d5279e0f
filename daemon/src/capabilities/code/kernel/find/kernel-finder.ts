import { join } from 'node:path';
import type { Identity } from '../../../../core/account/identity.ts';
import type { InterpreterProcesses } from '../../runtime/interpreter-processes.ts';
import { KERNEL_PROGRAM } from '../program/kernel-program.ts';
import { type KernelSpec, kernelSpecsIn } from './kernelspecs.ts';
import { type Python, PythonProbe } from './python-probe.ts';

/** A kernel that can be started. */
export interface Kernel extends KernelSpec {
  /** The Python that it runs in, if it is ipykernel of one on PATH. */
  readonly python: Python | undefined;
}

/** The Python kernel of a request, and whether it is the version that was asked for. */
interface FoundPython {
  readonly kernel: Kernel;
  readonly isExact: boolean;
}

const DEFAULT = 'python3';
/** Each kernel has this major version: ipykernel needs it. */
const MAJOR = '3';
const VERSION = /^(?:i?python|py)?(?:(\d)(?:\.(\d{1,2}))?(?:\.\d{1,3})?)?$/i;

/** Finds kernels: ipykernel of each Python of the account, and the kernel specs of Jupyter. */
export class KernelFinder {
  readonly #processes: InterpreterProcesses;
  readonly #probe: PythonProbe;

  constructor(processes: InterpreterProcesses) {
    this.#processes = processes;
    this.#probe = new PythonProbe(processes);
  }

  get identity(): Identity {
    return this.#processes.runContext.identityOf(undefined);
  }

  /** Pythons of the account with ipykernel; the first is the default. */
  async pythons(): Promise<Python[]> {
    return (await this.#probe.pythons(this.identity)).filter(({ ipykernel }) => ipykernel !== null);
  }

  /** All kernels by name; `python3` is the default Python, `python3.12` another one of that version. */
  async kernels(): Promise<Kernel[]> {
    const pythons = await this.pythons();
    const path = this.#processes.environment(this.identity)['PATH'] ?? '';
    const own = pythons.map((python, index) => {
      const name = index === 0 ? DEFAULT : `python${minorOf(python)}`;
      return kernelOf(python, name, python.ownVenv === undefined ? {} : activated(python.ownVenv, path));
    });
    const specs = kernelSpecsIn(this.#directories(pythons)).map((spec): Kernel => ({ ...spec, python: undefined }));
    const seen = new Set<string>();
    return [...own, ...specs].filter(({ name }) => !seen.has(name) && seen.add(name));
  }

  async named(name: string): Promise<Kernel | undefined> {
    const wanted = name.toLowerCase();
    return (await this.kernels()).find((kernel) => kernel.name === wanted);
  }

  /** The Python kernel nearest to a version: `python3.10`, `3.12`, `python`. Undefined if none exists. */
  async python(version: string): Promise<FoundPython | undefined> {
    const kernels = (await this.kernels()).filter(({ python }) => python !== undefined);
    const [first] = kernels;
    if (first === undefined) return undefined;
    const [known, major = MAJOR, minor] = VERSION.exec(version) ?? [];
    const isPossible = known !== undefined && major === MAJOR;
    if (!isPossible || minor === undefined) return { kernel: first, isExact: isPossible };
    const distance = ({ python }: Kernel): number => Math.abs(Number(python?.version.split('.')[1]) - Number(minor));
    const kernel = kernels.reduce((nearest, next) => (distance(next) < distance(nearest) ? next : nearest), first);
    return { kernel, isExact: distance(kernel) === 0 };
  }

  #directories(pythons: readonly Python[]): string[] {
    const env = this.#processes.environment(this.identity);
    const prefixes = pythons.map(({ prefix }) => join(prefix, 'share/jupyter'));
    const given = (env['JUPYTER_PATH'] ?? '').split(':').filter((directory) => directory.startsWith('/'));
    const own = env['JUPYTER_DATA_DIR'] ?? join(env['HOME'] ?? '/', '.local/share/jupyter');
    return [...new Set([...given, own, ...prefixes, '/usr/local/share/jupyter', '/usr/share/jupyter'])];
  }
}

/** Whether the name is one of Python, with or without a version. */
export function isPythonName(name: string): boolean {
  return /^(?:python|py|ipython|ipython3)$/i.test(name) || (/^py/i.test(name) && VERSION.test(name));
}

function minorOf({ version }: Python): string {
  return version.split('.').slice(0, 2).join('.');
}

/** Variables as after `activate`: what a cell starts is that of the virtual environment, `pip` included. */
function activated(venv: string, path: string): KernelSpec['env'] {
  return { VIRTUAL_ENV: venv, PATH: `${join(venv, 'bin')}:${path}` };
}

function kernelOf(python: Python, name: string, env: KernelSpec['env']): Kernel {
  return {
    name,
    displayName: `Python ${python.version}`,
    language: 'python',
    argv: [python.command, '-c', KERNEL_PROGRAM, '-f', '{connection_file}'],
    env,
    interruptMode: 'signal',
    python,
  };
}
