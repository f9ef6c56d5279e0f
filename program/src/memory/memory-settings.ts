/**
 * The variable by which a service bounds the memory that the C library keeps: blocks of 48 KiB and more, so the 64 KiB
 * into which sockets are read, go back to the system when they are freed. By default that bound grows with what was
 * freed, up to 32 MiB, and such buffers leave gaps between live blocks: with a bound of 128 KiB the gateway held 27 MiB
 * more after five minutes of attacks, with this one 4 MiB after ten. The images set the same value.
 */
export const MEMORY_SETTINGS: Readonly<Record<'GLIBC_TUNABLES', string>> = {
  GLIBC_TUNABLES: 'glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=49152:glibc.malloc.trim_threshold=131072',
};
