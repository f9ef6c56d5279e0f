import { requireExecutable } from '../../../core/process/exec-limits.ts';
import type { CellRequest } from '../execution/cell-report.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type { Served } from '../runtime/language-catalogue.ts';
import type { InterpreterSpec } from '../runtime/language-runtime.ts';

/** What the interpreter of a call is started with, and how to give its directory back. */
export interface CallSpec {
  readonly spec: InterpreterSpec;
  release(): Promise<void>;
}

/** @throws SandboxError `invalid`, `forbidden` for an account or a directory that there is not */
export function specFor(
  { cwd, env = {}, user, ownDirectory }: Pick<CellRequest, 'cwd' | 'env' | 'user' | 'ownDirectory'>,
  { language, variant, runtime }: Served,
  { runContext, directories }: InterpreterProcesses,
): CallSpec {
  requireExecutable({ env });
  const identity = runContext.identityOf(user);
  if (ownDirectory) {
    const own = directories.make(identity);
    const release = (): Promise<void> => Promise.resolve(own[Symbol.dispose]());
    return { spec: { language, variant, identity, cwd: own.path, env }, release };
  }
  const isElsewhere = runtime.reclaim !== undefined;
  const here = (): string => (cwd === undefined ? runContext.homeOf(identity) : runContext.requireDirectory(cwd));
  const directory = isElsewhere ? (cwd ?? '') : here();
  return { spec: { language, variant, identity, cwd: directory, env }, release: () => Promise.resolve() };
}
