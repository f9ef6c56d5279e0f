import { ServiceMetrics } from '@sandbox/api/service-metrics.ts';
import { Counter, Histogram } from 'prom-client';

/** What the daemon counts. */
export class Metrics extends ServiceMetrics {
  readonly commands = new Counter({
    name: 'command_exec_total',
    help: 'Commands that ended, by status.',
    labelNames: ['status'] as const,
    registers: [this.registry],
  });
  readonly commandSeconds = new Histogram({
    name: 'command_exec_duration_seconds',
    help: 'Time from the start of a command to its end.',
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
    registers: [this.registry],
  });
  readonly commandOutputBytes = new Counter({
    name: 'command_output_bytes_total',
    help: 'Bytes of output of commands that ended, those that were dropped included.',
    registers: [this.registry],
  });
  readonly commandDroppedBytes = new Counter({
    name: 'command_output_dropped_bytes_total',
    help: 'Bytes of output that were no longer kept when the command ended: over a cap, or refused by the disk.',
    registers: [this.registry],
  });
  readonly automaticCheckpoints = new Counter({
    name: 'checkpoints_automatic_total',
    help: 'Automatic checkpoints, by result; skipped: one ran, or the last ones took too long.',
    labelNames: ['result'] as const,
    registers: [this.registry],
  });
  readonly protocolRequests = new Counter({
    name: 'protocol_requests_total',
    help: 'Requests of foreign protocols, by protocol.',
    labelNames: ['protocol', 'status'] as const,
    registers: [this.registry],
  });
  readonly protocolSeconds = new Histogram({
    name: 'protocol_request_duration_seconds',
    help: 'Time from a request of a foreign protocol to the end of its answer.',
    labelNames: ['protocol'] as const,
    buckets: [0.005, 0.1, 2, 60],
    registers: [this.registry],
  });
}
