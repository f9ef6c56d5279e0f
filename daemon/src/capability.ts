import type { Core, DaemonCore } from './core/core.ts';
import type { Finding } from './core/finding.ts';
import type { App } from './http/app-types.ts';

/** A domain service with thin adapters around it: everything that one part of the product is made of. */
export interface CapabilityDefinition<S extends AsyncDisposable> {
  readonly name: string;
  readonly create: (core: Core) => S | Promise<S>;
  /** Routes under `/v2`. */
  readonly v2?: (app: App, service: S, core: Core) => void;
  /** Routes under `/v1`, in the layout of 1.x. */
  readonly v1?: (app: App, service: S, core: Core) => void;
  /** Does the real thing once and says whether it worked. */
  readonly probe?: (service: S) => Promise<Finding>;
}

/** A capability whose service runs; its adapters are bound to it. */
export interface MountedCapability extends AsyncDisposable {
  readonly name: string;
  readonly v2: ((app: App) => void) | undefined;
  readonly v1: ((app: App) => void) | undefined;
  readonly probe: (() => Promise<Finding>) | undefined;
}

export interface Capability {
  readonly name: string;
  /** The name of the capability is that of the owner of its processes. */
  readonly mount: (core: DaemonCore) => Promise<MountedCapability>;
}

/** The seam: a capability is a folder and one line in `capabilities/index.ts`. */
export function defineCapability<S extends AsyncDisposable>(definition: CapabilityDefinition<S>): Capability {
  const { name, create, v2, v1, probe } = definition;
  return {
    name,
    mount: async (daemon) => {
      const core: Core = { ...daemon, processes: daemon.processes.of(name) };
      const service = await create(core);
      return {
        name,
        v2: v2 && ((app) => v2(app, service, core)),
        v1: v1 && ((app) => v1(app, service, core)),
        probe: probe && (() => probe(service)),
        [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
      };
    },
  };
}
