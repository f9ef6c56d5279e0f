/**
 * The variable by which a service bounds the memory that the C library keeps: freed blocks over 128 KiB go back to the
 * system. By default that bound grows with what was freed, up to 32 MiB, and the buffers of sockets then stay between
 * live blocks: after ten minutes of attacks the gateway held 40 MiB more. The images set the same value.
 */
export const MEMORY_SETTINGS: Readonly<Record<'GLIBC_TUNABLES', string>> = {
  GLIBC_TUNABLES: 'glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=131072:glibc.malloc.trim_threshold=131072',
};
