import type { Identity } from '../../../core/account/identity.ts';
import { findTool } from '../../../core/tool-path.ts';
import { stampOf } from '../runtime/file-stamp.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import { ProgramAnswer } from '../runtime/program-answer.ts';
import { NPM_ROOTS } from './npm-roots.ts';

/** Milliseconds that a Node may take to describe itself. */
const PROBE_MS = 10_000;
/** Milliseconds after which the packages are listed again. */
const PACKAGES_MS = 500;
/** Milliseconds for which PATH is not looked through again. */
const FRESH_MS = 2000;
/** The oldest major version that runs cells: `--permission`-free loaders of `vm` came with it. */
const OLDEST = 20;
/** The newest major version that a name of its own is looked for. */
const NEWEST = 40;

/** Prints what a Node is and which packages come with it and with npm's prefix. */
const DESCRIBE = String.raw`
const { readdirSync, readFileSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');
const read = (path) => { try { return readFileSync(path, 'utf8'); } catch { return undefined; } };
const list = (path) => { try { return readdirSync(path); } catch { return []; } };
const own = resolve(process.execPath, '../../lib/node_modules');
const roots = (${NPM_ROOTS})();
const root = list(roots[0]).length > 0 ? roots[0] : (roots.find((each) => each !== own && list(each).length > 0) ?? own);
const namesIn = (path) => list(path).flatMap((name) => name.startsWith('.') ? []
  : name.startsWith('@') ? list(join(path, name)).map((inner) => name + '/' + inner) : [name]);
const packagesIn = (path) => namesIn(path).flatMap((name) => {
  try { return [{ name, version: String(JSON.parse(read(join(path, name, 'package.json'))).version) }]; } catch { return []; }
});
const shipped = (name) => name === 'npm' || name === 'corepack';
const all = packagesIn(own);
console.log(JSON.stringify({ version: process.version.slice(1), executable: process.execPath,
  npmVersion: all.find(({ name }) => name === 'npm')?.version ?? null, runtimeDirectory: dirname(own),
  globalNpmDirectory: root, runtimePackages: all.filter(({ name }) => shipped(name)),
  globalPackages: [...new Map(roots.toReversed().flatMap(packagesIn).filter(({ name }) => !shipped(name))
    .map((each) => [each.name, each])).values()] }));
`;

interface NodePackage {
  readonly name: string;
  readonly version: string;
}

/** A Node on PATH that can run cells. */
export interface Node {
  /** As it was found. */
  readonly command: string;
  readonly executable: string;
  /** `22.1.0`. */
  readonly version: string;
  readonly major: number;
  readonly npmVersion: string | null;
  readonly runtimeDirectory: string;
  readonly globalNpmDirectory: string;
  readonly runtimePackages: readonly NodePackage[];
  readonly globalPackages: readonly NodePackage[];
}

interface Known {
  readonly stamp: string;
  readonly node: ProgramAnswer<Node>;
}

/** Describes the Nodes on the PATH of an account; each is asked once, and again when its file has changed. */
export class NodeProbe {
  readonly #processes: InterpreterProcesses;
  readonly #known = new Map<string, Known>();
  readonly #lists = new Map<string, { readonly at: number; readonly nodes: Promise<Node[]> }>();

  constructor(processes: InterpreterProcesses) {
    this.#processes = processes;
  }

  /** The one that PATH names `node` first; then others, the newest first. Those that are too old are left out. */
  nodes(identity: Identity, { withPackages = false } = {}): Promise<Node[]> {
    const listed = this.#lists.get(identity.name);
    if (listed && !withPackages && performance.now() - listed.at < FRESH_MS) return listed.nodes;
    const nodes = this.#list(identity, withPackages);
    this.#lists.set(identity.name, { at: performance.now(), nodes });
    return nodes;
  }

  async #list(identity: Identity, withPackages: boolean): Promise<Node[]> {
    const path = this.#processes.environment(identity)['PATH'] ?? '';
    const asked = commandsOn(path).map((command) => this.#ask(identity, command, withPackages));
    const found = (await Promise.all(asked)).filter((node) => node !== undefined && node.major >= OLDEST) as Node[];
    const [first, ...others] = found;
    if (first === undefined) return [];
    const rest = others.filter(
      ({ executable }, index) =>
        executable !== first.executable && others.findIndex((other) => other.executable === executable) === index,
    );
    return [first, ...rest.toSorted((a, b) => b.major - a.major)];
  }

  #ask(identity: Identity, command: string, withPackages: boolean): Promise<Node | undefined> {
    const key = `${identity.name}\0${command}`;
    const stamp = stampOf(command);
    const known = this.#known.get(key);
    if (known?.stamp === stamp) {
      const isFresh = !withPackages || performance.now() - known.node.askedAt < PACKAGES_MS;
      return isFresh ? known.node.get() : known.node.renewed();
    }
    const node = new ProgramAnswer(() => this.#describe(identity, command));
    this.#known.set(key, { stamp, node });
    return node.get();
  }

  async #describe(identity: Identity, command: string): Promise<Node | undefined> {
    const text = await this.#processes.outputOf(identity, command, ['-e', DESCRIBE], PROBE_MS);
    return text === undefined ? undefined : parsed(text, command);
  }
}

function commandsOn(path: string): string[] {
  const plain = path.split(':').flatMap((directory) => findTool('node', directory) ?? []);
  const majors = Array.from({ length: NEWEST - OLDEST + 1 }, (_, index) => NEWEST - index);
  const named = majors.flatMap((major) => findTool(`node${major}`, path) ?? []);
  return [...new Set([...plain, ...named])];
}

function parsed(text: string, command: string): Node | undefined {
  try {
    const described = JSON.parse(text) as Omit<Node, 'command' | 'major'>;
    const major = Number.parseInt(described.version, 10);
    return Number.isInteger(major) ? { ...described, command, major } : undefined;
  } catch {
    return undefined;
  }
}
