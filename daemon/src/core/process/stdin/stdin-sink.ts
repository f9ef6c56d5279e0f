/** Waits for an event. @throws if the host that passes the bytes on does not answer, or the caller is gone */
export type StdinWait = (event: Promise<void>) => Promise<void>;

/** Bytes of stdin that a host has taken, and those among them that can not reach the process any more. */
export interface StdinCount {
  readonly taken: number;
  readonly dropped: number;
}

/** Of a process without a stdin that the daemon reaches. */
export const NO_STDIN: StdinCount = { taken: 0, dropped: 0 };

/** Holds the bytes for the stdin of a process until it reads them. One call at a time. */
export interface StdinSink {
  /** Closed by its process, by `end`, or because the process has ended. */
  readonly isClosed: boolean;
  readonly count: StdinCount;
  /** Bytes that fit, as far as is known; the next `changed` may bring more. */
  readonly room: number;
  /** Resolves when `count` has everything that was sent, also by a call that did not wait for it, or is closed. */
  settled(wait: StdinWait): Promise<void>;
  /** Settles at the next change of its state. */
  changed(): Promise<void>;
  /** Takes what fits of the bytes, which must not be changed afterwards; resolves when they are held. */
  offer(bytes: Uint8Array, wait: StdinWait): Promise<number>;
  /** Sends at once as many of the bytes as fit, and does not wait until they are held; returns how many. */
  push(bytes: Uint8Array): number;
  /** Closes stdin after the bytes; resolves when that is certain. */
  end(wait: StdinWait): Promise<void>;
  close(): void;
}
