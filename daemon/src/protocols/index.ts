/** Every protocol; a copy of the tree without their folders and lines type-checks. */
export const PROTOCOLS = [] as const;
