import { z } from 'zod';

/** Text that is valid as a name, path or argument of a system call: without NUL. */
export const Text = z
  .string()
  .refine((text) => !text.includes('\0'), 'contains a NUL character')
  .meta({ pattern: '^[^\\u0000]*$' });

/** The name or the number of an account. */
export const Account = Text.min(1);

/** An absolute path; the domain checks it and answers 400. */
export const AbsolutePath = Text.meta({ pattern: '^/[^\\u0000]*$' });

/** The working directory of a process, as a shell resolves it; the domain checks it and answers 400. */
export const WorkingDirectory = Text.min(1).meta({
  pattern: '^[^\\u0000]+$',
  description: 'Absolute, or as in a shell: `~`, `~user`, or relative to the home. Default: the home of the account.',
});

/**
 * A boolean of a query, where every value is text. The document has true and false; 1, 0, yes, no, on and off are read
 * too.
 */
export const QueryFlag = z.stringbool({ error: 'expected true or false' }).meta({ type: 'boolean' });

/** A map of strings; an entry with the value null is absent. */
export const StringMap = z
  .record(
    z
      .string()
      .refine((name) => name !== '' && !/[=\0]/.test(name), 'is empty or contains "=" or NUL')
      .meta({ minLength: 1, pattern: '^[^=\\u0000]+$' }),
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
