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

/** What the sandbox uses of its machine, or of the limits of its container. Sizes are bytes. */
export interface Resources {
  /** Processor time used so far, the clock at that time, and how many processors there are to use. */
  readonly cpu: { readonly used_ms: number; readonly at_ms: number; readonly count: number };
  readonly memory: Usage;
  /** The file system of `/`; null if it cannot be read. */
  readonly disk: Usage | null;
}

export interface Usage {
  readonly used: number;
  readonly total: number;
}
