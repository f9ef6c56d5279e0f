/** Bytes that may wait in the daemon to be sent to one client. */
const BUFFERED_BYTES = 256 * 1024;

/** The connection of a client that sends and receives messages. */
export interface ClientPort {
  /** Fires when the connection has ended. */
  readonly gone: AbortSignal;
  /** Bytes that wait in the daemon to be sent. */
  readonly buffered: number;
  sendText(text: string): void;
  /** @param sent called when the bytes may be changed */
  sendBytes(bytes: Uint8Array, sent: () => void): void;
  /** Resolves when bytes were sent or the connection has ended. */
  drained(): Promise<void>;
  onMessage(handle: (bytes: Buffer, isText: boolean) => Promise<void>): void;
  close(code: number, reason: string): void;
}

/** Whether the client has to read before it is sent more. */
export function isBehind({ buffered }: ClientPort): boolean {
  return buffered > BUFFERED_BYTES;
}
