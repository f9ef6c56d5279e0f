import type { Logger } from '@sandbox/program/logger.ts';
import type { TicketStore } from './access/tickets.ts';
import type { CoreConfig } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { OwnedProcesses } from './process/owners/owned-processes.ts';
import type { Processes } from './process/owners/processes.ts';
import type { RuntimeDir } from './runtime-dir.ts';

/** What a capability is made from. */
export interface Core {
  readonly config: CoreConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Those of this capability alone. */
  readonly processes: OwnedProcesses;
  readonly runtime: RuntimeDir;
  readonly tickets: TicketStore;
}

/** What the daemon is made from: the processes of every owner. */
export interface DaemonCore extends Omit<Core, 'processes'> {
  readonly processes: Processes;
}
