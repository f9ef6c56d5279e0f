import { APPLICATIONS } from './applications.ts';
import { ARCHIVES } from './archives.ts';
import type { Attack } from './attack.ts';
import { BROWSERS } from './browsers.ts';
import { BYTES } from './bytes.ts';
import { CALLS } from './calls.ts';
import { CELLS } from './cells.ts';
import { TOOLS } from './tools.ts';
import { UPSTREAMS } from './upstreams.ts';
import { WORKERS } from './workers.ts';

/** Everything that a hostile client, application or program tries, a server that they are configured with among them. */
export const ATTACKS: readonly Attack[] = [
  ...BYTES,
  ...APPLICATIONS,
  ...ARCHIVES,
  ...CALLS,
  ...CELLS,
  ...TOOLS,
  ...BROWSERS,
  ...UPSTREAMS,
  ...WORKERS,
];
