import type { Socket } from 'node:net';
import type { ServiceMetrics } from '../service-metrics.ts';
import type { App } from './app-types.ts';

/** Counts and times every response by its route pattern, so that ids do not become labels. */
export function measureRequests(app: App, metrics: ServiceMetrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    metrics.requests.inc({ method: request.method, route, status: reply.statusCode });
    metrics.requestSeconds.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    done();
  });
  measureConnections(app, metrics);
}

/** Connections and their bytes, heads and WebSockets included: those of closed ones are added up, open ones read. */
function measureConnections(app: App, metrics: ServiceMetrics): void {
  const open = new Set<Socket>();
  const closed = { bytesRead: 0, bytesWritten: 0 };
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closed.bytesRead += socket.bytesRead;
      closed.bytesWritten += socket.bytesWritten;
    });
  });
  const total = (side: keyof typeof closed): number =>
    open.values().reduce((sum, one) => sum + one[side], closed[side]);
  metrics.gauge('http_open_connections', 'Open HTTP connections.', () => open.size);
  metrics.total('http_received_bytes_total', 'Bytes received on connections of clients.', () => total('bytesRead'));
  metrics.total('http_sent_bytes_total', 'Bytes sent on connections of clients.', () => total('bytesWritten'));
}
