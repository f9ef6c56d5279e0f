import { ConnectionTotals } from '@sandbox/program/server/connection-totals.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import { keyNameOf } from './access-log.ts';
import type { App } from './app-types.ts';

/** Counts and times every response by its route pattern, so that ids do not become labels. */
export function measureRequests(app: App, metrics: ServiceMetrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    metrics.requests.inc({ method: request.method, route, status: reply.statusCode });
    const key = keyNameOf(request);
    if (key !== undefined) metrics.keyRequests.inc({ key });
    metrics.requestSeconds.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    done();
  });
  measureConnections(app, metrics);
}

function measureConnections(app: App, metrics: ServiceMetrics): void {
  const totals = new ConnectionTotals();
  totals.watch(app.server);
  metrics.gauge('http_open_connections', 'Open HTTP connections.', () => totals.open);
  const received = 'Bytes received on connections of clients.';
  metrics.total('http_received_bytes_total', received, () => totals.bytes('bytesRead'));
  metrics.total('http_sent_bytes_total', 'Bytes sent on connections of clients.', () => totals.bytes('bytesWritten'));
}
