import { type Requirement, section } from './requirement.ts';

export const ANSWERS: readonly Requirement[] = [
  ...section('docs/limits.md', {
    'answers.budget':
      'answers in memory take at most 256 MiB in all, reserved before a file is read; beyond it 503 with Retry-After and a hint',
    'answers.reserved':
      'matches, lists, output of terminals and outputs of cells reserve the memory of their answer before they are read; a command that has run is answered with a cut output',
    'answers.done':
      'a command, an exec, a cell or a tool that has run is never refused for the size of its answer: it is answered with less',
    'answers.listeners': 'a large answer warns of no leak of listeners in the log',
    'answers.released': 'memory of an answer is free when it was read, and when its client has left',
    'answers.unread': 'a client that reads nothing of an answer in memory for 30 s is cut, one that reads is not',
    'answers.streams': 'streams from disk hold nothing of the memory for answers',
    'answers.shared': 'documents that exist once in memory hold nothing of the memory for answers',
    'answers.flood': 'clients that ask for large answers and read nothing neither end the daemon nor stall it',
  }),
];
