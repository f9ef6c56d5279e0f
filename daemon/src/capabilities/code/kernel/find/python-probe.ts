import { join } from 'node:path';
import type { Identity } from '../../../../core/account/identity.ts';
import { findTool } from '../../../../core/tool-path.ts';
import { stampOf } from '../../runtime/file-stamp.ts';
import type { InterpreterProcesses } from '../../runtime/interpreter-processes.ts';
import { ProgramAnswer } from '../../runtime/program-answer.ts';

/** In the home of an account: what the hint of a refused installation names. */
const OWN_VENV = '.venv';
/** They name an environment that was chosen for the service, which then wins. */
const ACTIVATED = ['VIRTUAL_ENV', 'CONDA_PREFIX'];
/** Milliseconds that an interpreter may take to describe itself. */
const PROBE_MS = 20_000;
/** The minor versions of Python 3 that are looked for. */
const MINORS = Array.from({ length: 24 }, (_, index) => index + 6);
/** Characters of a description, and directories of packages that are watched. */
const DESCRIPTION_MAX = 256 * 1024;
const DIRECTORIES_MAX = 100;

const DESCRIBE = `
import json, sys
try:
    import site
    sites = ([site.getusersitepackages()] if site.ENABLE_USER_SITE else []) + site.getsitepackages()
except Exception:
    sites = []
from importlib.util import find_spec
from importlib.metadata import version
def of(name):
    try: return version(name) if find_spec(name) else None
    except Exception: return None
print(json.dumps({"executable": sys.executable, "version": "%d.%d.%d" % sys.version_info[:3],
                  "prefix": sys.prefix, "path": sys.path + sites, "ipykernel": of("ipykernel")}))
`;

/** A Python on PATH. */
export interface Python {
  /** As it was found. */
  readonly command: string;
  readonly executable: string;
  /** `3.11.2`. */
  readonly version: string;
  readonly prefix: string;
  /** The virtual environment in the home of the account, if it is the one of that. */
  readonly ownVenv: string | undefined;
  /** Null if it cannot run kernels. */
  readonly ipykernel: string | null;
  /** Changes when the interpreter or its packages do. */
  readonly fingerprint: string;
}

/** As it describes itself. */
type AskedPython = Omit<Python, 'ownVenv'>;

interface Found {
  readonly watched: readonly string[];
  readonly python: AskedPython;
}

interface Known {
  readonly stamp: string;
  readonly found: ProgramAnswer<Found>;
}

/**
 * Describes the Pythons of an account: that of the virtual environment `.venv` in its home, then those on its PATH. Each is asked once and again when it or one of the directories of
 * its packages has changed.
 */
export class PythonProbe {
  readonly #processes: InterpreterProcesses;
  readonly #known = new Map<string, Known>();

  constructor(processes: InterpreterProcesses) {
    this.#processes = processes;
  }

  /** In the order in which they should be used: `python3` first. Those without a version are left out. */
  async pythons(identity: Identity): Promise<Python[]> {
    const env = this.#processes.environment(identity);
    const venv = ACTIVATED.some((name) => env[name]) ? undefined : join(identity.home, OWN_VENV);
    const own = venv && findTool('python3', join(venv, 'bin'));
    const commands = [...(own ? [own] : []), ...commandsOn(env['PATH'] ?? '')];
    const pythons = await Promise.all(
      [...new Set(commands)].map(async (command) => {
        const python = await this.#ask(identity, command);
        return python && { ...python, ownVenv: command === own ? venv : undefined };
      }),
    );
    const seen = new Set<string>();
    return pythons.filter((python): python is Python => {
      if (python === undefined || seen.has(python.executable)) return false;
      seen.add(python.executable);
      return true;
    });
  }

  async #ask(identity: Identity, command: string): Promise<AskedPython | undefined> {
    const key = `${identity.name}\0${command}`;
    const stamp = stampOf(command);
    const known = this.#known.get(key);
    if (known?.stamp === stamp) {
      const found = await known.found.get();
      if (found === undefined || found.python.fingerprint === fingerprintOf(found.watched)) return found?.python;
    }
    const found = new ProgramAnswer(() => this.#describe(identity, command));
    this.#known.set(key, { stamp, found });
    return (await found.get())?.python;
  }

  async #describe(identity: Identity, command: string): Promise<Found | undefined> {
    const text = await this.#processes.outputOf(identity, command, ['-c', DESCRIBE], PROBE_MS);
    const described = text === undefined || text.length > DESCRIPTION_MAX ? undefined : parsed(text);
    if (described === undefined) return undefined;
    const { executable, version, prefix, ipykernel, path } = described;
    // A directory of packages that there is not yet is watched too: `pip install --user` makes it.
    const directories = new Set(path.filter((entry) => entry.startsWith('/')));
    const watched = [command, ...[...directories].slice(0, DIRECTORIES_MAX)];
    const fingerprint = fingerprintOf(watched);
    return { watched, python: { command, executable, version, prefix, ipykernel, fingerprint } };
  }
}

/** Every directory's `python3` in the order of PATH, then other versions. */
function commandsOn(path: string): string[] {
  const directories = path.split(':');
  const plain = directories.flatMap((directory) => findTool('python3', directory) ?? []);
  const versions = MINORS.flatMap((minor) => findTool(`python3.${minor}`, path) ?? []);
  return [...new Set([...plain, ...versions])];
}

function fingerprintOf(paths: readonly string[]): string {
  return paths.map(stampOf).join(' ');
}

interface Described extends Omit<AskedPython, 'command' | 'fingerprint'> {
  readonly path: readonly string[];
}

function parsed(text: string): Described | undefined {
  try {
    const value = JSON.parse(text) as Described;
    return typeof value.executable === 'string' && Array.isArray(value.path) ? value : undefined;
  } catch {
    return undefined;
  }
}
