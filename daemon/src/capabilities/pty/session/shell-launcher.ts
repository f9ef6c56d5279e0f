import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { type Identity, sameRights } from '../../../core/account/identity.ts';
import { RunContext } from '../../../core/account/run-context.ts';
import type { Core } from '../../../core/core.ts';
import { childEnvironment } from '../../../core/process/environment.ts';
import { requireExecutable } from '../../../core/process/exec-limits.ts';
import type { StartSpec } from '../../../core/process/process-host.ts';
import { findTool } from '../../../core/tool-path.ts';
import { type ShellKind, shellKindOf } from '../exec/exec-script.ts';
import type { SessionRecord } from './session-record.ts';

/** Makes the output files of terminals easy to tell from others in a listing. */
const ID_PREFIX = 'pty-';

export interface ShellStart {
  readonly spec: StartSpec;
  /** Undefined: `exec` types its commands as lines. */
  readonly kind: ShellKind | undefined;
}

/** Builds the process of a session from its record. */
export class ShellLauncher {
  readonly #runContext: RunContext;
  readonly #environment: Core['environment'];
  readonly #historyBytes: number;

  constructor({ config, environment, platform }: Core, historyBytes: number) {
    this.#environment = environment;
    this.#runContext = new RunContext(config.defaultUser, platform);
    this.#historyBytes = historyBytes;
  }

  /** @throws SandboxError `invalid`, `forbidden` */
  identityOf(user: string | undefined): Identity {
    return this.#runContext.identityOf(user);
  }

  /** Undefined if the account has the rights of the daemon. */
  accountOf(user: string | null): Identity | undefined {
    const identity = this.#runContext.identityOf(user ?? undefined);
    return sameRights(identity, this.#runContext.own) ? undefined : identity;
  }

  /** A directory that a call names, as a shell of the account resolves it. */
  resolve(cwd: string | undefined, user: string | undefined): string | undefined {
    return cwd === undefined ? undefined : this.#runContext.paths.resolve(cwd, { user });
  }

  /** @throws SandboxError `invalid` */
  directory(cwd: string | undefined, user: string | undefined): string {
    return cwd === undefined ? this.#runContext.homeOf(this.identityOf(user)) : this.#runContext.requireDirectory(cwd);
  }

  /** @throws SandboxError `invalid`, `forbidden`, `unprocessable` */
  prepare(uuid: string, record: SessionRecord, cwd: string = record.cwd): ShellStart {
    const identity = this.identityOf(record.user ?? undefined);
    const id = `${ID_PREFIX}${uuid}`;
    const given = [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, record.env];
    const env = childEnvironment({ inherited: this.#environment.current(), identity, commandId: id, given });
    const [file, ...args] = commandOf(record, identity, env['PATH']);
    requireExecutable({ args, env });
    const spec: StartSpec = {
      id,
      file,
      args,
      cwd,
      env,
      stdin: 'null',
      terminal: { cols: record.cols, rows: record.rows },
      outputMaxBytes: this.#historyBytes,
      ...(!sameRights(identity, this.#runContext.own) && { identity }),
    };
    return { spec, kind: kindOf(file, env['PATH']) };
  }
}

/** The login shell of the account; bash, else sh, for an account that may not log in. */
function commandOf(
  { command, args }: SessionRecord,
  identity: Identity,
  path: string | undefined,
): [string, ...string[]] {
  if (command !== null) return [command, ...args];
  const noLogin = /^(nologin|false|true|sync)$/.test(basename(identity.shell));
  const shell = noLogin ? (findTool('bash', path) ?? '/bin/sh') : identity.shell;
  return [shell, ...(shellKindOf(realPath(shell)) === undefined ? [] : ['-l'])];
}

function kindOf(file: string, path: string | undefined): ShellKind | undefined {
  return shellKindOf(realPath(file.includes('/') ? file : (findTool(file, path) ?? file)));
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
