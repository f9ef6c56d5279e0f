import { type Requirement, section } from './requirement.ts';

export const STDIN: readonly Requirement[] = [
  ...section('docs/commands.md', {
    'stdin.partial': 'JSON input takes what fits, answers how much with a hint, and 429 where nothing fits',
    'stdin.cut': 'a raw body that is cut leaves the number of bytes taken in the record',
    'stdin.dropped': 'bytes that were taken and that the command never read are in its record',
    'stdin.survives': 'after a killed daemon every acknowledged byte reaches the command once and in order',
    'stdin.eof-query': 'eof in the query closes stdin after JSON and without a body; different values are 422',
    'cmd.continue-hint': 'an answer about a command that still runs says how to go on',
  }),
];
