import { type Requirement, section } from './requirement.ts';

export const RECORDS: readonly Requirement[] = [
  ...section('docs/records.md', {
    'records.journal': 'the lines of a journal are found again after a kill, also those of earlier versions',
    'records.full':
      'commands, sessions, terminals and idempotency keys that were acknowledged on a full disk survive a kill of the daemon; what cannot be recorded is refused with 507',
  }),
];
