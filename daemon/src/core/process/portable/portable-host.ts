import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type Identity, ownIdentity } from '../../account/identity.ts';
import { type Ends, OutputLog } from '../../output/output-log.ts';
import { listOutputFiles } from '../../output/segment-files.ts';
import { countProcesses, signalProcesses } from '../find/signal-processes.ts';
import type { HostedProcess, ProcessHost, ProcessTarget, Recovered, StartSpec, TerminalSize } from '../process-host.ts';
import { requireInterpreter, resolveStart } from '../program.ts';
import { recoverOutput } from '../recover-output.ts';
import { asAccount } from '../set-account.ts';
import { requireSignal } from '../signals.ts';
import { startFailure } from '../start-failure.ts';
import { PipePool } from './pipes.ts';
import { type ChildPipes, PortableProcess } from './portable-process.ts';
import { PortableTerminal } from './portable-terminal.ts';
import { openScript } from './script-file.ts';

export interface PortableHostOptions {
  /** Directory of the output files (`docs/output-log.md`). */
  readonly output: string;
  /** Directory of files that exist only while a process is started. */
  readonly scratch: string;
  /** False: children get Node's sockets, as they do if there are no FIFOs; `/dev/stdout` cannot be opened there. */
  readonly fifos?: boolean;
}

/** Starts processes as children of the daemon, on every system Node runs on; they are lost with it. */
export class PortableHost implements ProcessHost {
  readonly name = 'portable';
  readonly promises = { survivesDaemon: false, usage: false, limits: false, adopts: false } as const;
  readonly #output: string;
  readonly #scratch: string;
  readonly #pool: PipePool;
  readonly #own: Identity = ownIdentity();
  readonly #live = new Set<PortableProcess | PortableTerminal>();

  /** The directories are created if they are missing, for the daemon's account alone. */
  constructor({ output, scratch, fifos = process.platform !== 'win32' }: PortableHostOptions) {
    for (const directory of [output, scratch]) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    }
    this.#output = output;
    this.#scratch = scratch;
    this.#pool = new PipePool(scratch, fifos);
  }

  async start(spec: StartSpec): Promise<HostedProcess> {
    const { runner, program } = this.#resolve(spec);
    if (spec.terminal !== undefined) return this.#startOnTerminal(spec, spec.terminal, runner, program);
    let pipes: ChildPipes | undefined;
    let script: number | undefined;
    try {
      pipes = await this.#takePipes(spec, runner);
      if (spec.script !== undefined) script = openScript(this.#scratch, spec.script, runner);
      const child = spawnChild(spec, runner, program, pipes, script);
      if (child.pid === undefined) throw (await once(child, 'error'))[0];
      return this.#adopt(spec, child, child.pid, pipes);
    } catch (error) {
      if (pipes !== undefined) for (const { ownEnd } of Object.values(pipes)) closeSync(ownEnd);
      throw startFailure(error, program, runner);
    } finally {
      if (script !== undefined) closeSync(script);
      if (pipes !== undefined) for (const { childEnd } of Object.values(pipes)) closeSync(childEnd);
    }
  }

  #resolve(spec: StartSpec): ReturnType<typeof resolveStart> {
    if (spec.forks) throw cannotAdopt();
    const resolved = resolveStart(spec, this.#own);
    if (resolved.runner !== undefined) requireInterpreter(resolved.program);
    return resolved;
  }

  async #startOnTerminal(
    spec: StartSpec,
    size: TerminalSize,
    runner: Identity | undefined,
    program: string,
  ): Promise<HostedProcess> {
    const output = new OutputLog(this.#output, spec.id, 'terminal');
    const started = { spec, size, runner, program, output };
    const hosted: PortableTerminal = await PortableTerminal.start(started, () => this.#live.delete(hosted));
    this.#live.add(hosted);
    return hosted;
  }

  async #takePipes({ stdin }: StartSpec, runner: Identity | undefined): Promise<ChildPipes | undefined> {
    const wanted = stdin === 'pipe' ? (['out', 'out', 'in'] as const) : (['out', 'out'] as const);
    const [stdout, stderr, input] = (await this.#pool.take(wanted, runner)) ?? [];
    if (stdout === undefined || stderr === undefined) return undefined;
    return { stdout, stderr, ...(input && { stdin: input }) };
  }

  #adopt(spec: StartSpec, child: ChildProcess, pid: number, pipes: ChildPipes | undefined): PortableProcess {
    const output = new OutputLog(this.#output, spec.id);
    const started = { child, pid, output, outputMaxBytes: spec.outputMaxBytes, pipes };
    const hosted: PortableProcess = new PortableProcess(started, () => this.#live.delete(hosted));
    this.#live.add(hosted);
    return hosted;
  }

  async reserve(): Promise<never> {
    throw cannotAdopt();
  }

  async signal(targets: readonly ProcessTarget[], signal: string): Promise<number> {
    const name = requireSignal(signal);
    return targets.length === 0 ? 0 : signalProcesses(targets, name);
  }

  async living(targets: readonly ProcessTarget[]): Promise<number> {
    return targets.length === 0 ? 0 : countProcesses(targets);
  }

  ids(): ReadonlySet<string> {
    return new Set([...this.#live, ...listOutputFiles(this.#output)].map(({ id }) => id));
  }

  recover(ends: ReadonlyMap<string, Ends>, owns?: (id: string) => boolean): Recovered {
    return recoverOutput(this.#output, ends, owns);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const hosted of this.#live) hosted[Symbol.dispose]();
    this.#live.clear();
    await this.#pool[Symbol.asyncDispose]();
  }
}

function cannotAdopt(): SandboxError {
  return new SandboxError('unsupported', 'this process host does not take over processes that others have forked', {
    hint: 'the process keeper does: build it with a C compiler, and see SVC_PROCESS_HOST',
  });
}

function spawnChild(
  spec: StartSpec,
  runner: Identity | undefined,
  program: string,
  pipes: ChildPipes | undefined,
  script: number | undefined,
): ChildProcess {
  // Both ways argv[0] is the name that the caller gave: `sh: not found`, not `/usr/bin/sh: not found`.
  const [file, ...args] = runner ? asAccount(runner, [spec.file, ...spec.args]) : [program, ...spec.args];
  const stdin = spec.stdin === 'pipe' ? (pipes?.stdin?.childEnd ?? 'pipe') : 'ignore';
  const stdio = [stdin, pipes?.stdout.childEnd ?? 'pipe', pipes?.stderr.childEnd ?? 'pipe'] as const;
  const options: SpawnOptions = {
    cwd: spec.cwd,
    env: { ...spec.env },
    ...(!runner && { argv0: spec.file }),
    detached: true,
    windowsHide: true,
    stdio: script === undefined ? [...stdio] : [...stdio, script],
  };
  return spawn(file, args, options);
}
