import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import { attachChannel, openChannel } from '../held/open-channel.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type {
  Interpreter,
  InterpreterSpec,
  LanguageInfo,
  LanguageRequest,
  LanguageRuntime,
  ResolvedLanguage,
} from '../runtime/language-runtime.ts';
import { NodeDialect } from './node-dialect.ts';
import { NODE_HOST } from './node-host.ts';
import { type Node, NodeProbe } from './node-probe.ts';
import { nearest, nodeRequest } from './node-version.ts';
import { TransformThread } from './transform/transform-thread.ts';

/** Runs JavaScript and TypeScript, each session in a Node of the account's PATH. */
export class NodeRuntime implements LanguageRuntime {
  readonly name = 'node';
  readonly table = 'node';
  readonly #processes: InterpreterProcesses;
  readonly #probe: NodeProbe;
  readonly #dialect: NodeDialect;
  readonly #thread = new TransformThread();

  constructor(processes: InterpreterProcesses) {
    this.#processes = processes;
    this.#probe = new NodeProbe(processes);
    this.#dialect = new NodeDialect(this.#thread);
  }

  async languages(): Promise<readonly LanguageInfo[]> {
    const nodes = await this.#nodes(true);
    const [first] = nodes;
    if (first === undefined) return [];
    const { command, executable: _, major, version, ...described } = first;
    const versions = [...new Set(nodes.map((node) => `node${node.major}`))];
    const details = { command, ...described, currentVersion: `node${major}`, availableVersions: versions };
    return [
      {
        language: 'javascript',
        aliases: ['nodejs', 'js', 'node', ...versions],
        description: `JavaScript on Node.js ${version}`,
        version,
        details,
      },
      { language: 'typescript', aliases: ['ts'], description: `TypeScript on Node.js ${version}`, version, details },
    ];
  }

  async resolve({ language, version, kernelName }: LanguageRequest): Promise<ResolvedLanguage | undefined> {
    const wanted = kernelName === undefined ? nodeRequest(language, version) : undefined;
    if (wanted === undefined) return undefined;
    const nodes = await this.#nodes();
    const found = wanted.major === null ? nodes[0] : nearest(nodes, wanted.major);
    if (found === undefined) {
      throw new SandboxError('unavailable', 'node 20 or later not found on PATH', {
        hint: 'apt-get install nodejs, or put a newer node on PATH',
      });
    }
    const isOther = wanted.version !== undefined && found.major !== wanted.major;
    const warning = `${wanted.version} is not installed: node${found.major} (${found.version}) runs the cell`;
    return { language: wanted.language, variant: found.command, warnings: isOther ? [warning] : [] };
  }

  open(spec: InterpreterSpec): Promise<Interpreter> {
    return openChannel(this.#processes, spec, {
      runtime: this.name,
      file: spec.variant,
      args: ({ token, directory }, mark) => ['-e', NODE_HOST, token, directory, mark],
      dialect: this.#dialect,
    });
  }

  attach(process: HostedProcess, state: unknown): Promise<Interpreter | undefined> {
    return attachChannel(this.#processes, process, state, this.#dialect);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  #nodes(withPackages = false): Promise<Node[]> {
    return this.#probe.nodes(this.#processes.runContext.identityOf(undefined), { withPackages });
  }
}
