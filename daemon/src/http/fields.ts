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

/** Bytes of a command's text. */
export const COMMAND_BYTES = 8 * 1024 ** 2;

/** The text of a command for a shell. */
export const CommandText = Text.refine(
  (command) => Buffer.byteLength(command) <= COMMAND_BYTES,
  `is over ${COMMAND_BYTES} bytes; write it to a file and run that`,
);

/** The id of a session of commands or of a terminal. */
export const SessionId = Text.min(1).max(128);
