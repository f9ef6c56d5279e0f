import type { Logger } from '@sandbox/program/logger.ts';
import type { Tracing } from '@sandbox/program/tracing/span.ts';
import type { LateBinding } from './access/late-binding.ts';
import type { Revocations } from './access/revocations.ts';
import type { TicketStore } from './access/tickets.ts';
import type { Activity } from './activity/activity.ts';
import type { AgeClock } from './clock/age-clock.ts';
import type { CoreConfig } from './config.ts';
import type { RunEnvironment } from './environment/run-environment.ts';
import type { Metrics } from './metrics.ts';
import type { OwnedProcesses } from './process/owners/owned-processes.ts';
import type { Processes } from './process/owners/processes.ts';
import type { Recorder } from './recorder/recorder.ts';
import type { RuntimeDir } from './runtime-dir.ts';

/** What a capability is made from. */
export interface Core {
  readonly activity: Activity;
  /** Of all ages. */
  readonly clock: AgeClock;
  readonly config: CoreConfig;
  /** What processes are started with. */
  readonly environment: RunEnvironment;
  /** What the sandbox got after its boot. */
  readonly late: LateBinding;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Those of this capability alone. */
  readonly processes: OwnedProcesses;
  /** Where to report what happened. */
  readonly recorder: Recorder;
  /** Of tickets and cookies. */
  readonly revocations: Revocations;
  readonly runtime: RuntimeDir;
  /** Of the system that the daemon runs on. */
  readonly platform: NodeJS.Platform;
  /** Stops the daemon in an orderly way, and the container with it. */
  readonly stop: () => void;
  readonly tickets: TicketStore;
  /** Undefined if no collector is set. */
  readonly tracing?: Tracing | undefined;
}

/** What the daemon is made from: the processes of every owner. */
export interface DaemonCore extends Omit<Core, 'processes'> {
  readonly processes: Processes;
}
