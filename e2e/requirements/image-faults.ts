import { type Requirement, section } from './requirement.ts';

export const IMAGE_FAULTS: readonly Requirement[] = [
  ...section('docs/operations.md', {
    'images.never-given-up': 'no program of the image is given up, however often the account ends it',
    'images.once-ready': 'a service that was ready never ends the container, however often it ends',
    'images.out-of-memory': 'ends of a service for want of memory do not count as failed starts',
    'images.log-lines': 'what a program other than the services prints is text of lines with its name',
    'images.log-failed': 'a program that fails has its last lines in the log, at any level',
    'images.log-rate': 'a program writes at most 1 MB a second to the log; lines left out are counted',
  }),
  ...section('docs/limits.md', {
    'late.full-temporary':
      'if the temporary directory is full, commands, cells and terminals run, and can delete files',
    'late.removed-temporary':
      'if a program removes the directories of helper files, as rm -rf /tmp/* does, the next call makes them again',
    'late.full-reserve': 'a full disk has room for four helper files; then a call that needs one is 507',
  }),
];
