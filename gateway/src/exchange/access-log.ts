import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { type AccessLog, hasAccessLine } from '@sandbox/program/access-lines.ts';
import { HEALTH_PATHS } from '@sandbox/program/health-paths.ts';
import type { Logger } from '@sandbox/program/logger.ts';

interface Access {
  readonly accessLog: AccessLog;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Without the query, which may contain credentials. */
  readonly path: string;
  readonly upgrade: boolean;
}

/** What the line of one exchange depends on, as far as it is known before its end. */
export interface AccessLine {
  /** Whether the daemon answers, and so logs the request unless it accepts an upgrade: the line is at debug then. */
  byDaemon: boolean;
}

/** Writes one line at the end of an exchange that `accessLog` selects; for an upgrade, when its connection closes. */
export function logAccess(logger: Logger, { accessLog, req, res, requestId, path, upgrade }: Access): AccessLine {
  const line: AccessLine = { byDaemon: false };
  if (accessLog === 'off' || !logger.isLevelEnabled('info')) return line;
  const { socket } = req;
  const startedAt = performance.now();
  const before = socket.bytesWritten;
  const write = (): void => {
    const accepted = upgrade && !res.headersSent;
    // null: the client left before a response began.
    const status = accepted ? 101 : res.headersSent ? res.statusCode : null;
    if (!hasAccessLine(accessLog, { path, status })) return;
    const isHealthy = res.headersSent && res.statusCode < 300 && HEALTH_PATHS.has(path);
    logger[isHealthy || (line.byDaemon && !accepted) ? 'debug' : 'info']({
      method: req.method,
      path,
      status,
      ms: Math.round((performance.now() - startedAt) * 100) / 100,
      bytes_out: socket.bytesWritten - before,
      request_id: requestId,
      upgrade,
      complete: accepted || res.writableFinished,
    });
  };
  if (upgrade) socket.once('close', write);
  else res.once('close', write);
  return line;
}
