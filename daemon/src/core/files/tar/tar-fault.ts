/** A malformed or truncated archive. */
export class TarFault extends Error {}
