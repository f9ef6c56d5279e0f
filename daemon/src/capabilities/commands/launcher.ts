import { statSync } from 'node:fs';
import { inheritedEnvironment } from '../../core/config.ts';
import { SandboxError } from '../../core/errors.ts';
import { type Identity, lookUpIdentity, ownIdentity, requireRunnableAs, sameRights } from '../../core/identity.ts';
import { childEnvironment } from '../../core/process/environment.ts';
import type { StartSpec } from '../../core/process/process-host.ts';
import type { CommandSession } from './sessions.ts';
import { planShell } from './shell-plan.ts';

/** What is to be run, and how. Whatever is left out comes from the session, then from the account. */
export interface CommandSpec {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly shell: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: string | undefined;
  readonly stdin: 'null' | 'pipe';
}

/** Turns a request into what the process host starts, or says which field of it is wrong. */
export class Launcher {
  readonly #own = ownIdentity();
  readonly #inherited = { ...inheritedEnvironment() };
  readonly #defaultUser: string | undefined;
  readonly #outputMaxBytes: number;

  constructor(defaultUser: string | undefined, outputMaxBytes: number) {
    this.#defaultUser = defaultUser;
    this.#outputMaxBytes = outputMaxBytes;
  }

  /** @throws SandboxError `invalid` or `forbidden`, naming the field */
  prepare(id: string, spec: CommandSpec, session: CommandSession | undefined): StartSpec {
    const identity = this.identityOf(spec.user ?? session?.user ?? undefined);
    const env = childEnvironment({
      inherited: this.#inherited,
      identity,
      commandId: id,
      given: [session?.env ?? {}, spec.env ?? {}],
    });
    return {
      id,
      ...planShell(spec.command, spec.shell, spec.args, env['PATH'] ?? ''),
      cwd:
        spec.cwd === undefined ? this.#default(session?.cwd ?? undefined, identity) : this.requireDirectory(spec.cwd),
      env,
      stdin: spec.stdin,
      outputMaxBytes: this.#outputMaxBytes,
      ...(!sameRights(identity, this.#own) && { identity }),
    };
  }

  /** @throws SandboxError where there is no such account, or the daemon may not become it */
  identityOf(user: string | undefined): Identity {
    if (user === undefined && this.#defaultUser !== undefined && process.platform === 'win32') {
      throw new SandboxError('unavailable', 'SVC_DEFAULT_USER does not apply on Windows');
    }
    const name = user ?? this.#defaultUser;
    if (name === undefined) return this.#own;
    const identity = lookUpIdentity(name);
    requireRunnableAs(identity, this.#own);
    return identity;
  }

  /** @throws SandboxError `invalid` where it is no absolute path of a directory */
  requireDirectory(cwd: string): string {
    if (!cwd.startsWith('/')) throw new SandboxError('invalid', `cwd is not an absolute path: ${cwd}`);
    const found = statSync(cwd, { throwIfNoEntry: false });
    if (!found) throw new SandboxError('invalid', `cwd does not exist: ${cwd}`);
    if (!found.isDirectory()) throw new SandboxError('invalid', `cwd is not a directory: ${cwd}`);
    return cwd;
  }

  /** Where a command begins that names no directory. */
  directory(cwd: string | undefined, user: string | undefined): string {
    return cwd ?? this.#default(undefined, this.identityOf(user));
  }

  #default(cwd: string | undefined, { home }: Identity): string {
    if (cwd !== undefined) return this.requireDirectory(cwd);
    return statSync(home, { throwIfNoEntry: false })?.isDirectory() ? home : '/';
  }
}
