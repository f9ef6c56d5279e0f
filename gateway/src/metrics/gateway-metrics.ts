import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Registry } from 'prom-client';

/** Gauges of the package with the suffix of a counter, which promtool refuses; the same by type stand beside them. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** What the gateway counts on its port, in the Prometheus text format; the package is loaded by the first reader. */
export class GatewayMetrics {
  readonly #open = new Set<Socket>();
  readonly #closed = { bytesRead: 0, bytesWritten: 0 };
  readonly #counts = { connections: 0, upgrades: 0, upstreamFailures: 0 };
  #registry: Promise<Registry> | undefined;

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#counts.connections += 1;
      this.#open.add(socket);
      socket.once('close', () => {
        this.#open.delete(socket);
        this.#closed.bytesRead += socket.bytesRead;
        this.#closed.bytesWritten += socket.bytesWritten;
      });
    });
  }

  countUpgrade(): void {
    this.#counts.upgrades += 1;
  }

  /** An upstream that is away, silent or broken, which the client gets as 502 or 503. */
  countUpstreamFailure(): void {
    this.#counts.upstreamFailures += 1;
  }

  async text(): Promise<{ readonly contentType: string; readonly body: string }> {
    this.#registry ??= this.#register();
    const registry = await this.#registry;
    return { contentType: registry.contentType, body: await registry.metrics() };
  }

  async #register(): Promise<Registry> {
    const { Counter, Gauge, Registry: NewRegistry, collectDefaultMetrics } = await import('prom-client');
    const registry = new NewRegistry();
    const registers = [registry];
    const total = (name: string, help: string, read: () => number): void => {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    };
    const open = this.#open;
    new Gauge({
      name: 'gateway_open_connections',
      help: 'Open connections of clients, upgraded ones included.',
      registers,
      collect() {
        this.set(open.size);
      },
    });
    total('gateway_connections_total', 'Connections of clients so far.', () => this.#counts.connections);
    total(
      'gateway_upgrades_total',
      'Requests to change the protocol, such as WebSockets.',
      () => this.#counts.upgrades,
    );
    total(
      'gateway_upstream_failures_total',
      'Requests whose upstream was away, silent or broken.',
      () => this.#counts.upstreamFailures,
    );
    total('gateway_received_bytes_total', 'Bytes received on connections of clients.', () => this.#bytes('bytesRead'));
    total('gateway_sent_bytes_total', 'Bytes sent on connections of clients.', () => this.#bytes('bytesWritten'));
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
    return registry;
  }

  #bytes(side: 'bytesRead' | 'bytesWritten'): number {
    return this.#open.values().reduce((sum, socket) => sum + socket[side], this.#closed[side]);
  }
}
