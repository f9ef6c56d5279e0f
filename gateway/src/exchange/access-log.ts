import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Logger } from '@sandbox/program/logger.ts';

interface Access {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Without the query, which may contain credentials. */
  readonly path: string;
  readonly upgrade: boolean;
}

/** Writes one line at the end of the exchange; for an upgrade, when its connection closes. */
export function logAccess(logger: Logger, { req, res, requestId, path, upgrade }: Access): void {
  if (!logger.isLevelEnabled('info')) return;
  const { socket } = req;
  const startedAt = performance.now();
  const before = socket.bytesWritten;
  const write = (): void => {
    const accepted = upgrade && !res.headersSent;
    logger.info({
      method: req.method,
      path,
      status: accepted ? 101 : res.statusCode,
      ms: Math.round((performance.now() - startedAt) * 100) / 100,
      bytes_out: socket.bytesWritten - before,
      request_id: requestId,
      upgrade,
      complete: accepted || res.writableFinished,
    });
  };
  if (upgrade) socket.once('close', write);
  else res.once('close', write);
}
