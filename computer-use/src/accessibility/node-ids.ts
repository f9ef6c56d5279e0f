import { randomBytes } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { BusSession, ObjectAddress } from './accessibility-bus.ts';

/** What an id stands for. */
export interface KnownNode extends ObjectAddress {
  readonly role: string;
  readonly session: BusSession;
}

/** Ids that are kept; the oldest go first. */
export const MAX_IDS = 100_000;

/**
 * Short ids of nodes. An object keeps its id as long as its bus lives. Programs never give a path a second time, and an
 * id of another worker or another bus, whose names begin again, is unknown: no id ever means another node.
 */
export class NodeIds {
  readonly #prefix = randomBytes(3).toString('hex');
  readonly #nodes = new Map<string, KnownNode>();
  #ids = new Map<string, string>();
  #session: BusSession | undefined;
  #last = 0;

  idOf(node: KnownNode): string {
    if (this.#session !== node.session) this.#forget(node.session);
    const key = `${node.sender} ${node.path}`;
    const known = this.#ids.get(key);
    if (known !== undefined && this.#nodes.get(known)?.role === node.role) return known;
    this.#last += 1;
    const id = `${this.#prefix}-${this.#last}`;
    this.#ids.set(key, id);
    this.#nodes.set(id, node);
    if (this.#nodes.size > MAX_IDS) this.#dropOldest();
    return id;
  }

  /** @throws SandboxError if the id was never given, or is of a bus that ended */
  find(id: string): KnownNode {
    const node = this.#nodes.get(id);
    if (node?.session.isOpen()) return node;
    throw goneNode(id);
  }

  #forget(session: BusSession): void {
    this.#session = session;
    this.#nodes.clear();
    this.#ids = new Map();
  }

  #dropOldest(): void {
    for (const [id, { sender, path }] of this.#nodes) {
      this.#nodes.delete(id);
      const key = `${sender} ${path}`;
      if (this.#ids.get(key) === id) this.#ids.delete(key);
      return;
    }
  }
}

export function goneNode(id: string): SandboxError {
  return new SandboxError('not_found', `no node with id ${id}`, { hint: 'read the tree again: the node is gone' });
}
