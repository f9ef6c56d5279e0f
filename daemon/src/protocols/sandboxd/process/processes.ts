import { randomInt } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';

const ID_MAX = 2 ** 31 - 1;

/** A process that a client has started and that may still run. */
export interface Managed {
  readonly kind: 'command' | 'terminal';
  /** Of the command or the terminal. */
  readonly id: string;
}

/** Process ids that clients see: neither those of the system, nor those that a daemon before this one gave. */
export class Processes {
  readonly #byId = new Map<number, Managed>();
  #next = randomInt(1, 2 ** 30);

  add(managed: Managed): number {
    const id = this.#next;
    this.#next = id === ID_MAX ? 1 : id + 1;
    this.#byId.set(id, managed);
    return id;
  }

  remove(id: number): void {
    this.#byId.delete(id);
  }

  /** @throws SandboxError `not_found` */
  find(id: number): Managed {
    const found = this.#byId.get(id);
    if (found) return found;
    throw new SandboxError('not_found', `process ${id} not found`);
  }
}
