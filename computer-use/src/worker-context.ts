import type { ComputerUseConfig } from './options.ts';
import type { Parts } from './parts.ts';
import type { XLink } from './x11/x-link.ts';

/** What the routes of the worker are made from. */
export interface WorkerContext {
  readonly config: ComputerUseConfig;
  readonly link: XLink;
  readonly parts: Parts;
}
