import { Agent } from 'node:http';
import { Socket, type TcpNetConnectOpts } from 'node:net';

/**
 * A connection for an upload. A server that rejects a body responds and closes while the body is still being sent;
 * Node then destroys the socket on the failed write and loses the unread response. Here a failed write never completes,
 * so the socket ends when its readable side ends, which follows at once.
 */
class UploadSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    super._write(chunk, encoding, ignoreFailure(callback));
  }

  override _writev(
    chunks: { chunk: unknown; encoding: BufferEncoding }[],
    callback: (error?: Error | null) => void,
  ): void {
    super._writev?.(chunks, ignoreFailure(callback));
  }
}

function ignoreFailure(callback: () => void): (error?: Error | null) => void {
  return (error) => {
    if (!error) callback();
  };
}

/** An HTTP agent for requests with a streamed body. */
export class UploadAgent extends Agent {
  override createConnection(options: TcpNetConnectOpts): Socket {
    return new UploadSocket(options).connect(options);
  }
}
