import type { Logger } from '@sandbox/program/logger.ts';
import type { ComputerUseConfig } from './options.ts';
import type { NodeActions, WorkerPart } from './part.ts';
import type { XLink } from './x11/x-link.ts';

/** The parts of the worker beside the display itself, in the order in which they are made. */
export interface Parts {
  readonly list: readonly WorkerPart[];
  /** Absent where accessibility is not served: actions on nodes are refused. */
  readonly nodes?: NodeActions;
}

/** Opens the parts. Add accessibility and recording here; what they open they release when the worker stops. */
export function openParts(_config: ComputerUseConfig, _logger: Logger, _link: XLink): Parts {
  return { list: [] };
}
