import { type Requirement, section } from './requirement.ts';

export const BASH_V1: readonly Requirement[] = [
  ...section('docs/contract.md §2.4', {
    'v1.exec-fields': 'bash/exec answers the fields and types of BashExecResult',
    'v1.exec-session-omitted': 'without session_id a new session is made',
    'v1.session-omitted-retention':
      "such a session goes with its command's record and counts against no ceiling while idle",
    'v1.exec-unknown-session-created': 'a given, unknown session_id is created on first use',
    'v1.exec-dir-absolute': 'exec_dir must be absolute',
    'v1.exec-dir-default': "exec_dir becomes the session's default",
    'v1.exec-env': 'env of bash/exec reaches the command',
    'v1.exec-async': 'async_mode answers at once with status running',
    'v1.exec-statuses': 'exec statuses are running, completed, timed_out and killed alone',
    'v1.exec-failed': 'a command that could not be started shows as completed with 126 or 127',
    'v1.exec-lost': 'a lost command shows as killed with -1',
    'v1.exec-side-by-side': 'commands of one session may run side by side',
    'v1.newest': 'output, write and kill without command_id mean the newest command',
    'v1.output-fields': 'bash/output answers the fields and types of BashOutputResult',
    'v1.output-wait': 'bash/output with wait=true waits for output or the end',
    'v1.write': 'bash/write writes input to the command',
    'v1.kill': 'bash/kill signals the command, SIGTERM by default',
    'v1.sessions-create': 'bash/sessions/create gives a session with the fields of BashSessionInfo',
    'v1.sessions-close': 'bash/sessions/{session_id}/close ends the session and its commands',
    'v1.clamped': 'a value out of our bounds, if the wire schema has none, is clamped, not refused',
  }),
  ...section('docs/contract.md §12', {
    'v1.required-fields': 'every field of bash/* that the wire schema requires is there with its exact type',
    'v1.sessions-array': 'the sessions of bash are an array',
    'v1.exec-no-timeout': 'bash/exec without timeout waits for the end',
    'v1.exec-caller-gone': 'a caller that gives up does not stop the command',
  }),
];
