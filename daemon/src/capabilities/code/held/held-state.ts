import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** What a restarted daemon needs to talk to an interpreter again; stored with its process. */
export interface HeldState {
  /** The secret of the interpreter: it names its marks and greets with it. */
  readonly token: string;
  /** The directory of its sockets, of mode 0700. */
  readonly directory: string;
}

export function newHeldState(directory: string): HeldState {
  return { token: randomBytes(16).toString('hex'), directory };
}

/** Undefined if an earlier version has written something else. */
export function heldStateOf(state: unknown): HeldState | undefined {
  if (typeof state !== 'object' || state === null) return undefined;
  const { token, directory } = state as Partial<HeldState>;
  return typeof token === 'string' && typeof directory === 'string' ? { token, directory } : undefined;
}

/** The socket on which the interpreter takes cells. */
export function controlSocket({ directory }: HeldState): string {
  return join(directory, 'control');
}

/** The socket of the thread that ends JavaScript which does not return. */
export function watchSocket({ directory }: HeldState): string {
  return join(directory, 'watch');
}
