/** Bytes that are no archive, or none that is whole. */
export class TarFault extends Error {}
