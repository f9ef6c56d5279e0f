import { totalmem } from 'node:os';

const MIB = 1024 ** 2;
/** Memory that a kernel with data of ordinary size takes. */
const SESSION_BYTES = 192 * MIB;
const FEWEST = 5;
const MOST = 16;
/** Below it the process that forks kernels would take what its first kernel needs. */
const ZYGOTE_BYTES = 768 * MIB;

/** Bytes that the control group (v1 or v2) or the machine allows. */
export function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** How many kernel sessions fit into that many bytes, 5 to 16. */
export function kernelSessionsFor(bytes: number): number {
  return Math.min(Math.max(Math.floor(bytes / SESSION_BYTES), FEWEST), MOST);
}

/** When the process that forks kernels starts where that many bytes are allowed, if nothing is set. */
export function zygoteFor(bytes: number): 'boot' | 'never' {
  return bytes < ZYGOTE_BYTES ? 'never' : 'boot';
}
