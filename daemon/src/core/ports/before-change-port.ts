import { definePort, type PortReader } from './port.ts';

/** What is about to be done, and as whom. */
export interface ComingChange {
  readonly what: 'a command' | 'a cell' | 'a change of files';
  /** The account; undefined: the default one. */
  readonly user?: string | undefined;
}

/**
 * What happens before files are changed. Undefined where nothing does; else it never rejects, and holds the change for a
 * bounded time alone.
 */
export type BeforeChange = (change: ComingChange) => Promise<void> | undefined;

export const BEFORE_CHANGE = definePort<BeforeChange>('before-change');

/** Asks what is provided at each change: ports are filled after `create`. */
export function beforeChange(ports: PortReader): BeforeChange {
  return (change) => ports.get(BEFORE_CHANGE)?.(change);
}

/** For services without ports. */
export function noChange(): undefined {
  return undefined;
}
