import { basename, dirname, join } from 'node:path';

const own = import.meta.dirname;

/** The directory of what is built: that of the bundle, which has its parts in `chunks/`; from source, `dist/`. */
export const BUILT_DIRECTORY =
  basename(own) === 'src' ? join(own, '../../dist') : basename(own) === 'chunks' ? dirname(own) : own;
