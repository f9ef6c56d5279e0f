import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What a service counts, in the Prometheus text format. One per app, so that two apps in a process never mix. */
export class ServiceMetrics {
  protected readonly registry = new Registry();
  readonly requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route pattern.',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [this.registry],
  });
  readonly requestSeconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['method', 'route'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [this.registry],
  });
  /** A figure that is read when it is asked for. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** Figures that are read together; one that is missing is not shown. `help` by name. */
  gauges(help: Readonly<Record<string, string>>, read: () => Promise<Readonly<Record<string, number>>>): void {
    let reading: ReturnType<typeof read> | undefined;
    const readOnce = (): ReturnType<typeof read> => {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    };
    for (const [name, text] of Object.entries(help)) {
      new Gauge({
        name,
        help: text,
        registers: [this.registry],
        async collect() {
          const value = (await readOnce())[name];
          if (value === undefined) this.remove();
          else this.set(value);
        },
      });
    }
  }

  /** Figures of the process and its event loop; the sampling starts with the first call. */
  async text(): Promise<{ contentType: string; body: string }> {
    if (!this.registry.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: this.registry });
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}
