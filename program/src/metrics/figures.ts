import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Gauges of the package with the suffix of a counter, which promtool refuses; the same by type stand beside them. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Figures of a service in the Prometheus text format. */
export class Figures {
  protected readonly registry = new Registry();

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

  /** Facts of the program, as labels of a figure that is always 1. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void {
    new Gauge({ name, help, labelNames: Object.keys(labels), registers: [this.registry] }).set(labels, 1);
  }

  /** A count that grows, which is read when it is asked for. `name` ends in `_total`. */
  total(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Figures that are read together; one that is missing is not shown. `help` by name; a `_total` is a counter. */
  gauges(help: Readonly<Record<string, string>>, read: () => Promise<Readonly<Record<string, number>>>): void {
    let reading: ReturnType<typeof read> | undefined;
    const readOnce = (): ReturnType<typeof read> => {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    };
    for (const [name, text] of Object.entries(help)) {
      const figure = { name, help: text, registers: [this.registry] };
      if (name.endsWith('_total')) {
        new Counter({
          ...figure,
          async collect() {
            const value = (await readOnce())[name];
            this.remove();
            if (value !== undefined) this.inc(value);
          },
        });
      } else {
        new Gauge({
          ...figure,
          async collect() {
            const value = (await readOnce())[name];
            if (value === undefined) this.remove();
            else this.set(value);
          },
        });
      }
    }
  }

  /** Figures of the process and its event loop; the sampling starts with the first call. */
  async text(): Promise<{ contentType: string; body: string }> {
    if (!this.registry.getSingleMetric('process_cpu_seconds_total')) {
      collectDefaultMetrics({ register: this.registry });
      for (const name of MISNAMED) this.registry.removeSingleMetric(name);
    }
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }
}
