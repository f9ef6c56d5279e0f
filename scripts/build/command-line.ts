import type { Program } from './bundle.ts';

/** Its start is most of its time. */
export const COMMAND_LINE: Program = { name: 'sandbox', main: 'clients/typescript/src/cli/main.ts' };
