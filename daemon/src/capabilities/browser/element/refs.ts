import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { RefNumbers } from './ref-numbers.ts';

/** References that are kept per tab; the oldest go first. */
export const REFS_KEPT = 50_000;
const REF = /^@?e([1-9]\d{0,9})$/;

/** A node that a reference names: it is in that document or nowhere. */
export interface RefTarget {
  readonly frameId: string;
  readonly loaderId: string;
  /** Its number in that document. */
  readonly nodeId: number;
}

/** The references of one tab. A node keeps its reference as long as it is in the page. */
export class Refs {
  readonly #numbers: RefNumbers;
  readonly #byNumber = new Map<number, RefTarget>();
  readonly #byNode = new Map<string, number>();

  constructor(numbers: RefNumbers) {
    this.#numbers = numbers;
  }

  /** The reference of a node, as `e12`. */
  of(target: RefTarget): string {
    const key = keyOf(target);
    const known = this.#byNode.get(key);
    if (known !== undefined) return `e${known}`;
    const number = this.#numbers.next();
    this.#byNumber.set(number, target);
    this.#byNode.set(key, number);
    this.#dropOldest();
    return `e${number}`;
  }

  /** @throws SandboxError `invalid` for a malformed reference, `not_found` for one that this tab has not got */
  find(ref: string): RefTarget {
    const number = REF.exec(ref)?.[1];
    if (number === undefined) throw new SandboxError('invalid', 'is not a reference such as e12', { field: 'ref' });
    const target = this.#byNumber.get(Number(number));
    if (target === undefined) throw goneRef(ref);
    return target;
  }

  /** Forgets the nodes of documents that the tab does not show any more. */
  keepDocuments(loaderIds: ReadonlySet<string>): void {
    for (const [number, target] of this.#byNumber) {
      if (!loaderIds.has(target.loaderId)) this.#drop(number, target);
    }
  }

  #dropOldest(): void {
    if (this.#byNumber.size <= REFS_KEPT) return;
    const [oldest] = this.#byNumber;
    if (oldest) this.#drop(...oldest);
  }

  #drop(number: number, target: RefTarget): void {
    this.#byNumber.delete(number);
    this.#byNode.delete(keyOf(target));
  }
}

export function goneWords(ref: string): [string, { readonly hint: string }] {
  const hint = 'POST snapshot answers the references of the page as it is now';
  return [`${ref} is not in the page of this tab`, { hint }];
}

/** A reference whose node is not in the page. */
export function goneRef(ref: string): SandboxError {
  return new SandboxError('not_found', ...goneWords(ref));
}

function keyOf({ frameId, loaderId, nodeId }: RefTarget): string {
  return `${frameId} ${loaderId} ${nodeId}`;
}
