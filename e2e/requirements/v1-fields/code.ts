import { type Requirement, section } from '../requirement.ts';

export const CODE_FIELDS: readonly Requirement[] = [
  ...section('docs/contract.md §12 /code', {
    'code-field.stateful': 'execute stateful: true keeps variables under session_id; false keeps nothing',
    'code-field.session-id': 'execute session_id: made up where absent; in the answer only with stateful',
    'code-field.timeout': 'execute timeout: whole seconds, at most 300; the status is then timeout',
    'code-field.answer':
      'answer: status ok, error or timeout, outputs in order, exit_code of a process, traceback lines',
    'code-field.info': 'info: python and javascript with description, runtime_version, timeouts and details',
  }),
  ...section('docs/contract.md §12 /nodejs', {
    'nodejs-field.stateful': 'execute stateful: a REPL; without it a fresh process and directory, removed afterwards',
    'nodejs-field.session-id': 'execute session_id: continues that REPL, also without stateful',
    'nodejs-field.files': 'execute files: written where the script runs before it starts; no name leads out of there',
    'nodejs-field.stdin': 'execute stdin: ignored',
    'nodejs-field.version': 'execute version: node20 or a bare number; one that is not there gives a warning',
    'nodejs-field.answer': 'answer: language javascript, code, exit_code a number in each status',
    'nodejs-field.create': 'sessions (POST): max_idle_time in seconds from 60 to 86400; created false for a known id',
    'nodejs-field.record': 'record: created_at, last_used and max_idle_time in ms, age_seconds since the last use',
    'nodejs-field.sessions': 'sessions: a map by id; GET and DELETE of one answer session and deleted',
    'nodejs-field.info': 'info: versions, directories and packages, also if only one Node exists',
  }),
];
