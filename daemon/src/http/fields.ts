import { z } from 'zod';

/** Text that is valid as a name, path or argument of a system call: without NUL. */
export const Text = z.string().refine((text) => !text.includes('\0'), 'contains a NUL character');

/** A map of strings; an entry with the value null is absent. */
export const StringMap = z
  .record(
    z.string().refine((name) => name !== '' && !/[=\0]/.test(name), 'is empty or contains "=" or NUL'),
    Text.nullable(),
  )
  .transform((map) =>
    Object.fromEntries(Object.entries(map).filter((entry): entry is [string, string] => entry[1] !== null)),
  );

/** Largest command text, in bytes. */
export const COMMAND_BYTES = 8 * 1024 ** 2;

/** A command for a shell. */
export const CommandText = Text.refine(
  (command) => Buffer.byteLength(command) <= COMMAND_BYTES,
  `is over ${COMMAND_BYTES} bytes; write it to a file and run that`,
);

/** The id of a command session or a terminal. */
export const SessionId = Text.min(1).max(128);
