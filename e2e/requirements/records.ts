import { type Requirement, section } from './requirement.ts';

export const RECORDS: readonly Requirement[] = [
  ...section('docs/records.md', {
    'records.journal': 'the lines of a journal are found again after a kill, also those of earlier versions',
    'records.kept-json':
      'a small state that is kept whole is found after a restart; on a full disk neither file nor value changes',
    'records.full':
      'commands, sessions, terminals and idempotency keys that were acknowledged on a full disk survive a kill of the daemon; what cannot be recorded is refused with 507',
    'records.full-said':
      'on a full disk cells are refused with 507 and a hint, the log has one error, and a screen that lacks output says so',
    'records.nth-call':
      'if any single open, write, rename or fsync in the runtime directory fails, a call is acknowledged and survives a kill of the daemon, or is refused with 507 or 503 and a hint',
    'records.waiting':
      'an acknowledged cell that waited ends with the reason if the disk refuses its record when its turn arrives',
    'records.error': 'the error of a cell that a full disk refused is part of the record of its end',
    'records.crash':
      'of stdin, files, parts, commands, sessions, terminals and cells that were acknowledged, a daemon that is killed at random loses and doubles nothing, also on a full disk',
  }),
];
