import { APPLICATIONS } from './applications.ts';
import { ARCHIVES } from './archives.ts';
import type { Attack } from './attack.ts';
import { BYTES } from './bytes.ts';
import { CALLS } from './calls.ts';

/** Everything that a hostile client, application or program tries. */
export const ATTACKS: readonly Attack[] = [...BYTES, ...APPLICATIONS, ...ARCHIVES, ...CALLS];
