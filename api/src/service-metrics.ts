import { Figures } from '@sandbox/program/metrics/figures.ts';
import { Counter, Histogram } from 'prom-client';

/** What a service counts. One per app, so that two apps in a process never mix. */
export class ServiceMetrics extends Figures {
  readonly requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route pattern.',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [this.registry],
  });
  readonly keyRequests = new Counter({
    name: 'http_key_requests_total',
    help: 'Requests answered, by the name of their key.',
    labelNames: ['key'] as const,
    registers: [this.registry],
  });
  readonly requestSeconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['method', 'route'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [this.registry],
  });
}
