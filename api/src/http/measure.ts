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
  const open = new Set<Socket>();
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  metrics.gauge('http_open_connections', 'Open HTTP connections.', () => open.size);
}
