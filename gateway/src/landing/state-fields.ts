import type { Resources } from '@sandbox/program/resources/resources.ts';

/** What the landing page shows before any call of the API, and what it reads again while it is open. */
export interface SandboxState {
  /** Version of the gateway. */
  readonly version: string;
  readonly daemon: {
    readonly status: string;
    readonly version: string;
    readonly uptime_seconds: number | null;
  };
  readonly applications: Readonly<Record<Application, ApplicationState>>;
  /** Listening ports that can be previewed. */
  readonly ports: readonly number[];
  readonly resources: Resources;
}

type Application = 'desktop' | 'code-server' | 'jupyter' | 'browser';
/** `off`: the configuration disables it. */
export type ApplicationState = 'running' | 'stopped' | 'off';
