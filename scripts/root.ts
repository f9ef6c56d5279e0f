import { dirname } from 'node:path';

/** The directory of the repository. */
export const ROOT: string = dirname(import.meta.dirname);
