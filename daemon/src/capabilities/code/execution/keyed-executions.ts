import { createHash } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { CellRequest } from './cell-report.ts';
import type { Execution } from './execution.ts';
import type { ExecutionStore } from './execution-store.ts';

/**
 * One execution for each idempotency key. The key makes the id, so that the file of an execution is the record of its
 * key: a next daemon finds it, and it is forgotten with the execution.
 */
export class KeyedExecutions {
  readonly #executions: ExecutionStore;
  readonly #beginning = new Map<string, Promise<Execution>>();

  constructor(executions: ExecutionStore) {
    this.#executions = executions;
  }

  /**
   * The execution of the key of the request, or of `begin`.
   * @throws SandboxError `conflict` if the key was used with other code, another language or another session
   */
  async once(request: CellRequest, begin: () => Promise<Execution>): Promise<Execution> {
    const { idempotencyKey: key } = request;
    if (key === undefined) return await begin();
    const id = executionIdOf(key);
    const known = this.#beginning.get(id) ?? this.#executions.find(id);
    if (known) return requireSame(await known, request, key);
    const beginning = begin();
    this.#beginning.set(id, beginning);
    try {
      return await beginning;
    } finally {
      this.#beginning.delete(id);
    }
  }
}

/** A UUID (version 8) of the key. */
export function executionIdOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function requireSame(execution: Execution, { code, sessionId }: CellRequest, key: string): Execution {
  const { head } = execution;
  if (head.code === code && (sessionId === undefined || head.sessionId === sessionId)) return execution;
  throw new SandboxError('conflict', `idempotency_key was used with another request: ${key}`, {
    hint: 'use a new key for another cell',
  });
}
