import { has } from './machine.ts';

/** Whether tests may mount file systems: in a container root may not. */
export const mayMount = has('mounts');
