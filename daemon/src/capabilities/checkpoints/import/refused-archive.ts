import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** Why an archive does not become a checkpoint. */
export function refusedArchive(why: string): SandboxError {
  return new SandboxError('invalid', `is not an archive that can be taken: ${why}`, {
    field: 'body',
    hint: 'send a tar archive, plain or gzip, such as the export of a checkpoint sends it; nothing of it was kept',
  });
}

export function tooLargeArchive(what: string): SandboxError {
  return new SandboxError('too_large', `has ${what}`, {
    field: 'body',
    hint: 'make archives of the directories below, and import each of them',
  });
}
