import type { App } from '@sandbox/api/http/app-types.ts';
import type { Capability, MountedCapability } from './capability.ts';
import type { DaemonCore } from './core/core.ts';
import type { Finding } from './core/finding.ts';
import { Ports } from './core/ports/port.ts';
import type { ResourceSource } from './core/resources/resource.ts';
import { SURVEY, type Surveyed, surveyOf } from './core/survey/survey.ts';
import { mergeTools } from './core/tools/merge-tools.ts';
import type { BoundTool } from './core/tools/tool.ts';
import type { SurfaceName } from './http/surfaces.ts';

/** What the capabilities that were created contribute together. */
export class MountedCapabilities implements AsyncDisposable {
  /** MCP tools in their order, parts of one tool merged. */
  readonly tools: readonly BoundTool[];
  readonly resources: readonly ResourceSource[];
  readonly probes: readonly (() => Promise<Finding>)[];
  /** What they provide to parts that are not capabilities. */
  readonly ports: Ports;
  readonly #mounted: readonly MountedCapability[];

  private constructor(mounted: readonly MountedCapability[], ports: Ports) {
    this.#mounted = mounted;
    this.ports = ports;
    this.tools = mergeTools(mounted.flatMap(({ tools }) => tools));
    this.resources = mounted.flatMap(({ resources }) => resources);
    this.probes = mounted.flatMap(({ probe }) => probe ?? []);
  }

  /**
   * Creates the capabilities one after another, in their order.
   * @param others what the survey asks besides
   * @throws Error of the first that cannot be created, and where two provide one port or define one tool
   */
  static async create(
    capabilities: readonly Capability[],
    core: DaemonCore,
    config: Readonly<Record<string, unknown>>,
    others: readonly Surveyed[] = [],
  ): Promise<MountedCapabilities> {
    const ports = new Ports();
    const mounted: MountedCapability[] = [];
    for (const capability of capabilities) mounted.push(await capability.mount(core, config, ports));
    const requirements = capabilities.flatMap(({ requires }) => requires);
    ports.fill(SURVEY, surveyOf(core.config, requirements, [...mounted, ...others]));
    return new MountedCapabilities(mounted, ports);
  }

  adapters(surface: SurfaceName): ((app: App) => void)[] {
    return this.#mounted.flatMap((capability) => capability[surface]);
  }

  /** Disposes of the capabilities in the reverse order. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const capability of this.#mounted.toReversed()) await capability[Symbol.asyncDispose]();
  }
}
