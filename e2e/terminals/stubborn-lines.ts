/** A line that does not end by itself. TAG: a number that each process of it has among its arguments. */
export interface StubbornLine {
  readonly name: string;
  readonly line: string;
  /** Shells that have its syntax; unset: all. */
  readonly shells?: readonly string[];
}

const IGNORE_ALL = 'import signal\nfor s in set(signal.valid_signals()) - {9, 19}: signal.signal(s, signal.SIG_IGN)';

export const STUBBORN_LINES: readonly StubbornLine[] = [
  { name: 'a list', line: 'sleep TAG; sleep TAG; echo after' },
  { name: 'a chain', line: 'sleep TAG && sleep TAG || sleep TAG && sleep TAG' },
  { name: 'an endless loop', line: 'while :; do sleep TAG; done' },
  { name: 'a busy loop', line: 'while :; do :; done' },
  { name: 'a loop of subshells', line: 'until false; do (sleep TAG); done' },
  { name: 'a loop that forgives failures', line: 'for i in 1 2 3 4 5 6 7 8 9; do sleep TAG || true; done' },
  { name: 'a recursive function', line: 'f() { sleep TAG; f; }; f' },
  { name: 'a shell that ignores signals', line: 'trap "" INT TERM HUP QUIT; while :; do sleep TAG; done' },
  { name: 'a shell that traps signals', line: 'trap "echo no" INT TERM HUP QUIT; while :; do sleep TAG; done' },
  { name: 'a trap at the exit', line: '(trap "sleep TAG; sleep TAG" EXIT; sleep TAG)' },
  { name: 'a stubborn subshell', line: '(trap "" INT TERM HUP QUIT; while :; do sleep TAG; done); sleep TAG' },
  { name: 'exec', line: 'exec sleep TAG' },
  { name: 'exec of a stubborn shell', line: `exec bash -c 'trap "" INT TERM; while :; do sleep TAG; done'` },
  { name: 'a here-document', line: "sh <<'END'\nsleep TAG\nsleep TAG\nEND\nsleep TAG" },
  { name: 'read', line: 'read -r answer; sleep TAG' },
  { name: 'a pipeline', line: 'sleep TAG | sleep TAG | (trap "" INT TERM; sleep TAG; sleep TAG); sleep TAG' },
  { name: 'a substitution', line: 'x=$(trap "" INT TERM; sleep TAG; sleep TAG); echo "$x"; sleep TAG' },
  { name: 'nohup in the background', line: 'nohup sleep TAG > /dev/null 2>&1 & sleep TAG; wait' },
  { name: 'setsid', line: `setsid sh -c 'trap "" TERM; sleep TAG; sleep TAG' & wait; sleep TAG` },
  { name: 'a detached daemon', line: `setsid -f sh -c '(trap "" INT TERM; sleep TAG; sleep TAG) & exit'; sleep TAG` },
  { name: 'a coprocess', line: 'coproc sleep TAG; wait; sleep TAG', shells: ['bash', 'zsh'] },
  { name: 'vim', line: `vim -n -c 'let x = TAG' || sleep TAG` },
  { name: 'less', line: 'less -P TAG /etc/services || sleep TAG' },
  { name: 'sudo', line: 'sudo -n sleep TAG || sleep TAG; sleep TAG' },
  { name: 'a program that ignores all signals', line: `python3 -c '${IGNORE_ALL}\nimport time\ntime.sleep(TAG)'` },
  {
    name: 'a program that has the terminal in raw mode, as ssh',
    line: `python3 -c '${IGNORE_ALL}\nimport sys, tty\ntty.setraw(0)\nwhile True: sys.stdin.read(1)  # TAG'; sleep TAG`,
  },
];
