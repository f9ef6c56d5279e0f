import { type Requirement, section } from '../requirement.ts';

export const SHELL_FIELDS: readonly Requirement[] = section('docs/contract.md §12 /shell', {
  'shell-field.carried': 'directory, exports and functions carry over from one exec of a session to the next',
  'shell-field.id': 'exec id: absent or null makes a session; session_id of the answer is the id of later calls',
  'shell-field.strict':
    'exec strict: true refuses an exec_dir that does not exist; else the command runs where the session is',
  'shell-field.symlinks': 'exec, create preserve_symlinks: false resolves the directory, true shows it as given',
  'shell-field.async': 'exec async_mode: answers running at once',
  'shell-field.timeout': 'exec timeout: then running; it ends nothing',
  'shell-field.no-change':
    'exec no_change_timeout: of the command, else of the session, else 120 s; the command keeps running',
  'shell-field.hard-timeout':
    'exec hard_timeout: acts on the command, also async and after the answer; the session stays',
  'shell-field.truncate': 'exec truncate: output over 30,000 characters is cut, false: all of it',
  'shell-field.exit-code': 'answer exit_code: with completed only, else null',
  'shell-field.console': 'answer console: records of prompt, command and output of the callers alone',
  'shell-field.events': 'exec, view with Accept text/event-stream: output events, then the result',
  'shell-field.view-output': "view output: the text of the session's terminal up to now",
  'shell-field.view-status': 'view status, command, exit_code: of the running command, else of the last one',
  'shell-field.wait': 'wait seconds, max_wait_seconds: the most seconds; not ended by then: 200 with running',
  'shell-field.press-enter': 'write press_enter: Enter after input, which is else sent as it is',
  'shell-field.kill': 'kill exit_code, returncode: the code before the call, null if it still ran',
  'shell-field.create-id': 'sessions/create id: of a session that exists: that session',
  'shell-field.update': 'sessions/update no_change_timeout: replaces the default; null changes nothing',
  'shell-field.sessions': 'sessions: age_seconds since creation, current_command; ended sessions are not listed',
  'shell-field.stats':
    'sessions/stats: active within the last 5 minutes, usage_ratio from 0 to 1, session_timeout in seconds',
  'shell-field.terminal-url': 'terminal-url: a new session and the address of its page, which needs no redirect',
  'shell-field.ws': 'ws: session_id first, then ready; input, resize and pong in both layouts',
});
