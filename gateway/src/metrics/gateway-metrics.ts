import type { Server } from 'node:http';
import type { Figures } from '@sandbox/program/metrics/figures.ts';
import { ConnectionTotals } from '@sandbox/program/server/connection-totals.ts';
import type { OpenConnections } from '@sandbox/program/server/open-connections.ts';

/** What the gateway counts on its port, in the Prometheus text format; the package is loaded by the first reader. */
export class GatewayMetrics {
  readonly #totals = new ConnectionTotals();
  readonly #counts = { upgrades: 0, upstreamFailures: 0 };
  #figures: Promise<Figures> | undefined;

  #connections: Pick<OpenConnections, 'totals'> | undefined;

  watch(server: Server, connections: Pick<OpenConnections, 'totals'>): void {
    this.#connections = connections;
    this.#totals.watch(server);
  }

  countUpgrade(): void {
    this.#counts.upgrades += 1;
  }

  /** An upstream that is away, silent or broken, which the client gets as 502 or 503. */
  countUpstreamFailure(): void {
    this.#counts.upstreamFailures += 1;
  }

  async text(): Promise<{ readonly contentType: string; readonly body: string }> {
    this.#figures ??= this.#register();
    return (await this.#figures).text();
  }

  async #register(): Promise<Figures> {
    const { Figures: NewFigures } = await import('@sandbox/program/metrics/figures.ts');
    const figures = new NewFigures();
    const totals = this.#totals;
    const counts = this.#counts;
    const total = figures.total.bind(figures);
    figures.gauge(
      'gateway_open_connections',
      'Open connections of clients, upgraded ones included.',
      () => totals.open,
    );
    total('gateway_connections_total', 'Connections of clients so far.', () => totals.opened);
    const connections = this.#connections?.totals ?? { evicted: 0, refused: 0 };
    const evicted = 'Connections without a valid credential that were closed to make room for others.';
    total('gateway_connections_evicted_total', evicted, () => connections.evicted);
    total('gateway_connections_refused_total', 'Connections that got no room.', () => connections.refused);
    total('gateway_upgrades_total', 'Requests to change the protocol, such as WebSockets.', () => counts.upgrades);
    const failed = 'Requests whose upstream was away, silent or broken.';
    total('gateway_upstream_failures_total', failed, () => counts.upstreamFailures);
    const received = 'Bytes received on connections of clients.';
    total('gateway_received_bytes_total', received, () => totals.bytes('bytesRead'));
    total('gateway_sent_bytes_total', 'Bytes sent on connections of clients.', () => totals.bytes('bytesWritten'));
    return figures;
  }
}
