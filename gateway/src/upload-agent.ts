import { Agent } from 'node:http';
import { connect, type NetConnectOpts, type Socket } from 'node:net';

/**
 * Connections for bodies that are on their way. A server that refuses a body answers and closes while it is still
 * being sent; the write that fails on it must not discard the answer, which stands unread behind it. So a failed
 * write does not end the socket: the end of reading does, and it comes at once.
 */
export class UploadAgent extends Agent {
  override createConnection(options: NetConnectOpts): Socket {
    const socket = connect(options);
    const destroy = socket.destroy;
    socket.destroy = (error?: Error): Socket => {
      const failedWrite = error !== undefined && 'syscall' in error && error.syscall === 'write';
      return failedWrite && !socket.readableEnded ? socket : destroy.call(socket, error);
    };
    return socket;
  }
}
