import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isHealthCheck } from '@sandbox/program/health-paths.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { OpenConnections } from '@sandbox/program/server/open-connections.ts';
import { asksForWebSocket } from './websocket.ts';

/** Open connections: those of the gateway, one for each of its requests in progress, and those of local clients. */
const MAX_CONNECTIONS = 8_192;
/** No address has a share, since all clients are local; at the ceiling the oldest that waits for a head makes room. */
const LOCAL_CLIENTS = { perAddress: 0, isExempt: () => false };
/** Milliseconds that an idle connection stays open. */
const IDLE_MS = 75_000;

interface ServerOptions {
  readonly serverFactory: (handler: (req: IncomingMessage, res: ServerResponse) => void) => Server;
  readonly clientErrorHandler: () => void;
}

/** The connections of the daemon's server, and the options of fastify that make it. */
export function boundedServer(logger: Logger): { connections: OpenConnections; options: ServerOptions } {
  const limits = { ceiling: MAX_CONNECTIONS, strangers: LOCAL_CLIENTS, isReserved: isHealthCheck };
  const connections = new OpenConnections(limits, logger);
  const serverFactory: ServerOptions['serverFactory'] = (handler) => {
    const server = createServer({
      keepAliveTimeout: IDLE_MS,
      requestTimeout: 0,
      shouldUpgradeCallback: (req) => asksForWebSocket(req) && !connections.isBusy(req.socket),
    });
    connections.watch(server);
    return server.on('request', (req, res) => connections.take(req, res, () => handler(req, res)));
  };
  // `connections` answers what the parser rejects.
  return { connections, options: { serverFactory, clientErrorHandler: ignore } };
}
