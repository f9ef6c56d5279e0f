import { z } from 'zod';

/** Text that the system can take as a name, a path or an argument: without NUL. */
export const Text = z.string().refine((text) => !text.includes('\0'), 'contains a NUL character');

/** A map of strings; null for a value means that it is absent. */
export const StringMap = z
  .record(
    z.string().refine((name) => name !== '' && !/[=\0]/.test(name), 'is empty or contains "=" or NUL'),
    Text.nullable(),
  )
  .transform((map) =>
    Object.fromEntries(Object.entries(map).filter((entry): entry is [string, string] => entry[1] !== null)),
  );
