import type { Logger } from '@sandbox/program/logger.ts';
import type { TicketStore } from './access/tickets.ts';
import type { CoreConfig } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { ProcessHost } from './process/process-host.ts';
import type { RuntimeDir } from './runtime-dir.ts';

/** What every capability is made from. */
export interface Core {
  readonly config: CoreConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly processes: ProcessHost;
  readonly runtime: RuntimeDir;
  readonly tickets: TicketStore;
}
