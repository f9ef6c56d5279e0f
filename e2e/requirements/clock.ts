import { type Requirement, section } from './requirement.ts';

export const CLOCK: readonly Requirement[] = [
  ...section('docs/records.md, Ages', {
    'clock.jump':
      'a wall clock that is set forward or back ends no session, key, record, terminal, upload, ticket or cookie early or late',
    'clock.restart': 'ages continue over a restart of the daemon within one boot',
    'clock.reboot': 'after a reboot the difference of the wall clock counts, at least 0',
    'clock.listed': 'each file that reads the wall clock is listed with the reason',
  }),
];
