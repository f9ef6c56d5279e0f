import { cloudflare } from './cloudflare/index.ts';
import { e2b } from './e2b/index.ts';
import { sandboxd } from './sandboxd/index.ts';
import { sweRex } from './swe-rex/index.ts';

/** Every protocol; a copy of the tree without their folders and lines type-checks. */
export const PROTOCOLS = [cloudflare, e2b, sandboxd, sweRex] as const;
