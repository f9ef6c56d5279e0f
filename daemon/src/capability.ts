import type { App } from '@sandbox/api/http/app-types.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { OptionShape, OptionValues } from '@sandbox/program/options.ts';
import type { Page } from '@sandbox/program/pages.ts';
import type { RouteScopes } from './core/access/scopes.ts';
import type { Core, DaemonCore } from './core/core.ts';
import type { Finding } from './core/finding.ts';
import type { Port, PortReader, Ports, Provision } from './core/ports/port.ts';
import type { Requirement } from './core/requirement.ts';
import type { ResourceSource } from './core/resources/resource.ts';
import type { Report, Surveyed } from './core/survey/survey.ts';
import type { BoundTool, DeclaredTool } from './core/tools/tool.ts';
import { countRequests, type RequestActivity } from './http/activity/count-requests.ts';
import { recordRequests } from './http/activity/record-requests.ts';

/** Registers the routes of a service; it maps requests and answers and composes nothing. */
type Adapter<S> = (app: App, service: S, core: Core) => void;

/** Everything that one part of the product is made of: a domain service and what the rest must know of it. */
export interface CapabilityDefinition<S extends AsyncDisposable, O extends OptionShape> {
  readonly name: string;
  /** Its options: part of the configuration, `--help` and the README's table. */
  readonly options?: O;
  /** What of the machine it uses, for `sandboxd doctor`. */
  readonly requires?: readonly Requirement[];
  /** Its paths that are served without a key, compared exactly. */
  readonly publicPaths?: readonly string[];
  /** Pages that a link with a credential opens, and what the cookie for them covers. */
  readonly pages?: readonly Page[];
  /** What each of its routes needs of a key; a route without a decision needs the scope `all`. */
  readonly scopes?: RouteScopes;
  /** Which of its requests are a use of the sandbox. */
  readonly activity?: RequestActivity;
  /** Ports that it fills for other capabilities. */
  readonly provides?: readonly Provision<S>[];
  /** Ports that it reads. */
  readonly uses?: readonly Port<unknown>[];
  readonly create: (core: Core, options: OptionValues<O>, ports: PortReader) => S | Promise<S>;
  /** Routes under `/v2`. */
  readonly v2?: Adapter<S>;
  /** Routes under `/v1`, in the layout of 1.x. */
  readonly v1?: Adapter<S>;
  /** Routes that the contract serves alike under both prefixes. */
  readonly routes?: Adapter<S>;
  /** Its MCP tools, and its parts of tools that several capabilities contribute. */
  readonly tools?: readonly DeclaredTool<S>[];
  /** What its part of the resources of MCP is. */
  readonly resources?: (service: S) => ResourceSource;
  /** Does the real thing once and says whether it worked, for `/ready`. */
  readonly probe?: (service: S) => Promise<Finding>;
  /** Systems on which its routes answer 501. */
  readonly unsupportedOn?: readonly NodeJS.Platform[];
  /** Its sections of `/v1/capabilities`; `finding` is what its probe has just found. */
  readonly report?: (service: S, finding: Finding | undefined) => Report | Promise<Report>;
}

/** A capability whose service runs; its adapters are bound to it. */
export interface MountedCapability extends AsyncDisposable, Surveyed {
  readonly v2: readonly ((app: App) => void)[];
  readonly v1: readonly ((app: App) => void)[];
  readonly tools: readonly BoundTool[];
  readonly resources: readonly ResourceSource[];
}

/** What the composition root knows of a capability before its service exists. */
export interface Capability<O extends OptionShape = OptionShape> {
  readonly name: string;
  readonly options: O;
  readonly requires: readonly Requirement[];
  readonly publicPaths: readonly string[];
  readonly pages: readonly Page[];
  readonly scopes: RouteScopes;
  /** Its name is that of the owner of its processes. `config` holds the values of its options among others. */
  readonly mount: (
    core: DaemonCore,
    config: Readonly<Record<string, unknown>>,
    ports: Ports,
  ) => Promise<MountedCapability>;
}

/** The seam: a capability is a folder and one line in `capabilities/index.ts`. */
export function defineCapability<S extends AsyncDisposable, O extends OptionShape = Record<never, never>>(
  definition: CapabilityDefinition<S, O>,
): Capability<O> {
  const { name, options = {} as O, requires = [], publicPaths = [], pages = [], scopes = {} } = definition;
  return {
    name,
    options,
    requires,
    publicPaths,
    pages,
    scopes,
    mount: async (daemon, config, ports) => {
      const core: Core = { ...daemon, processes: daemon.processes.of(name) };
      const {
        create,
        provides = [],
        uses = [],
        tools = [],
        resources,
        probe,
        report,
        activity,
        unsupportedOn = [],
      } = definition;
      const own = Object.fromEntries(Object.keys(options).map((key) => [key, config[key]])) as OptionValues<O>;
      const service = await create(core, own, ports.readerFor(name, uses));
      for (const { port, from } of provides) ports.fill(port, from(service));
      const isSupported = !unsupportedOn.includes(daemon.platform);
      const bound = (mount: Adapter<S>) => (app: App) => {
        if (!isSupported) refuseAll(app, name);
        if (activity) countRequests(app, core.activity, activity);
        const { records, looks = [] } = activity ?? {};
        if (records) recordRequests(app, core.recorder, { kind: records, looks: new Set(looks) });
        mount(app, service, core);
      };
      const adapter = (mount: Adapter<S> | undefined) => (mount ? [bound(mount)] : []);
      return {
        name,
        v2: [...adapter(definition.v2), ...adapter(definition.routes)],
        v1: [...adapter(definition.v1), ...adapter(definition.routes)],
        tools: tools.map((tool) => tool.bind(service)),
        resources: resources === undefined ? [] : [resources(service)],
        probe: isSupported ? probe && (() => probe(service)) : undefined,
        report: report && ((finding) => report(service, finding)),
        [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
      };
    },
  };
}

function refuseAll(app: App, name: string): void {
  app.addHook('onRequest', (_request, _reply, done) => {
    done(
      new SandboxError('unsupported', `${name} is not implemented on this system`, {
        hint: 'run the service on Linux, or in its image',
      }),
    );
  });
}
