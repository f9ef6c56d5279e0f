/** The connection of a viewer. */
export interface ViewerPort {
  /** Fires when the connection has ended. */
  readonly gone: AbortSignal;
  /** Bytes that wait in the daemon to be sent. */
  readonly buffered: number;
  sendText(text: string): void;
  sendBytes(bytes: Uint8Array, sent: () => void): void;
  /** Resolves when bytes were sent or the connection has ended. */
  drained(): Promise<void>;
  onMessage(handle: (bytes: Buffer, isText: boolean) => Promise<void>): void;
  close(code: number, reason: string): void;
}
