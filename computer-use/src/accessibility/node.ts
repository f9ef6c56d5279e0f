import type { BusSession, ObjectAddress } from './accessibility-bus.ts';

/** Pixels of the display. */
export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A node with the properties that its program reports. */
export interface AccessibleNode {
  readonly id: string;
  readonly role: string;
  readonly name: string;
  readonly description: string;
  readonly states: readonly string[];
  /** Undefined if the node has no place on the display. */
  readonly bounds: Bounds | undefined;
  /** Text of a field, number of a slider; undefined if the node has none. */
  readonly value: string | undefined;
  readonly children: AccessibleNode[];
}

export interface AccessibleTree {
  /** Undefined if nothing is in front, or if the node's program did not answer. */
  readonly root: AccessibleNode | undefined;
  readonly nodeCount: number;
  /** Whether a limit, the deadline or a silent program left nodes out. */
  readonly isTruncated: boolean;
  /** Names of programs that did not answer in time. */
  readonly silent: readonly string[];
}

/** An object whose program has not been asked yet. */
export interface UnreadNode extends ObjectAddress {
  readonly session: BusSession;
}

export interface TreeTerms {
  readonly includeOffscreen: boolean;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly timeoutMs: number;
}
