import { Agent } from 'node:http';
import { Socket, type TcpNetConnectOpts } from 'node:net';

/**
 * A connection for a body that is on its way. A server that refuses a body answers and closes while it is still
 * being sent; Node then ends the socket with the write that failed and loses the answer that stands unread behind
 * it. Here a failed write stays unfinished: what ends the socket is the end of reading, which comes at once.
 */
class UploadSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    super._write(chunk, encoding, unlessFailed(callback));
  }

  override _writev(
    chunks: { chunk: unknown; encoding: BufferEncoding }[],
    callback: (error?: Error | null) => void,
  ): void {
    super._writev?.(chunks, unlessFailed(callback));
  }
}

function unlessFailed(callback: () => void): (error?: Error | null) => void {
  return (error) => {
    if (!error) callback();
  };
}

export class UploadAgent extends Agent {
  override createConnection(options: TcpNetConnectOpts): Socket {
    return new UploadSocket(options).connect(options);
  }
}
