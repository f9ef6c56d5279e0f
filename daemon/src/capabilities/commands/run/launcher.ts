import { type Identity, sameRights } from '../../../core/account/identity.ts';
import { RunContext } from '../../../core/account/run-context.ts';
import type { Core } from '../../../core/core.ts';
import { childEnvironment } from '../../../core/process/environment.ts';
import { requireExecutable } from '../../../core/process/exec-limits.ts';
import type { StartSpec } from '../../../core/process/process-host.ts';
import type { CommandSession } from '../store/sessions.ts';
import { planShell } from './shell-plan.ts';

/** What to run, and how. Defaults of the session apply first, then those of the account. */
export interface CommandSpec {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly shell: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
  readonly stdin: 'null' | 'pipe';
  /** Becomes TRACEPARENT, unless the session or the call sets it. */
  readonly traceparent?: string | undefined;
}

/** Turns a request into what the process host starts. */
export class Launcher {
  readonly #environment: Core['environment'];
  readonly #runContext: RunContext;
  readonly #outputMaxBytes: number;

  constructor({ config, environment, platform }: Core, outputMaxBytes: number) {
    this.#environment = environment;
    this.#runContext = new RunContext(config.defaultUser, platform);
    this.#outputMaxBytes = outputMaxBytes;
  }

  /** @throws SandboxError `invalid` or `forbidden`, naming the field */
  prepare(id: string, spec: CommandSpec, session: CommandSession | undefined): StartSpec {
    const identity = this.identityOf(spec.user ?? session?.user ?? undefined);
    const env = childEnvironment({
      inherited: this.#environment.current(),
      identity,
      commandId: id,
      given: [traceVariable(spec), session?.env ?? {}, spec.env ?? {}],
    });
    const plan = planShell(spec.command, spec.shell, spec.args, env['PATH'] ?? '');
    requireExecutable({ args: plan.args, env });
    return {
      id,
      ...plan,
      cwd:
        spec.cwd === undefined ? this.#default(session?.cwd ?? undefined, identity) : this.requireDirectory(spec.cwd),
      env,
      stdin: spec.stdin,
      outputMaxBytes: this.#outputMaxBytes,
      ...(!sameRights(identity, this.#runContext.own) && { identity }),
    };
  }

  /** @throws SandboxError `invalid` if the account does not exist, `forbidden` if the daemon may not run as it */
  identityOf(user: string | undefined): Identity {
    return this.#runContext.identityOf(user);
  }

  /** @throws SandboxError `invalid` unless it is the absolute path of a directory */
  requireDirectory(cwd: string): string {
    return this.#runContext.requireDirectory(cwd);
  }

  /** A directory that a call names, as a shell resolves it. @param from the directory of relative ones; else the home */
  resolve(cwd: string, user: string | undefined, from?: string | undefined): string {
    return this.#runContext.paths.resolve(cwd, { user, directory: from });
  }

  /** @throws SandboxError `invalid`, `unprocessable` if no program can start with these variables */
  requireEnvironment(env: Readonly<Record<string, string>>, user: string | undefined): void {
    const inherited = this.#environment.current();
    childEnvironment({ inherited, identity: this.identityOf(user), commandId: '', given: [env] });
  }

  /** The directory in which a command without one of its own begins. */
  directory(cwd: string | undefined, user: string | undefined): string {
    return cwd ?? this.#default(undefined, this.identityOf(user));
  }

  #default(cwd: string | undefined, identity: Identity): string {
    return cwd === undefined ? this.#runContext.homeOf(identity) : this.requireDirectory(cwd);
  }
}

function traceVariable({ traceparent }: CommandSpec): Readonly<Record<string, string>> {
  return traceparent === undefined ? {} : { TRACEPARENT: traceparent };
}
