import { type Requirement, section } from './requirement.ts';

export const INCOMPLETE: readonly Requirement[] = [
  ...section('docs/files.md', {
    'fs.lease': 'a lease delays an open by at most 2 s: a call on the file is 503, a walk skips and counts the file',
    'fs.copy-holes': 'a copy keeps the holes of sparse files',
    'fs.copy-left': 'a copy ends when its client leaves, and nothing of it stays',
    'fs.incomplete': 'a walk that could not read entries says truncated, how many and why',
  }),
];
