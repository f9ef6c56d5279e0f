import { type Requirement, section } from './requirement.ts';

export const TERMINALS_END: readonly Requirement[] = [
  ...section('docs/terminals.md, `exec`', {
    'pty.place': 'a call without a session waits for a place, in order of arrival, up to 10 s and its own timeout',
  }),
  ...section('docs/terminals.md, The end of a command', {
    'pty.end-all':
      'a hard timeout, kill or ending signal ends all that a command started, before the answer; the session continues',
    'pty.end-rest': 'the rest of the line of an ended command does not run; another signal ends one program alone',
    'pty.full-disk': 'exec reports the end of a command, with its exit code, also when a full disk drops the output',
    'pty.end-lost': 'if the shell does not survive the end of its command the answer says so',
    'pty.exec-status': '`$?` of a command is the status of the one before, as typed',
    'pty.exec-trace': 'with `set -x` the shell traces commands, and no line of the service',
  }),
];
