import type { SessionRecord } from './state.ts';

/** Sources what the last command of the session has left: variables, functions, directory. The directory is $1. */
const RESTORE = 'if [ -O "$1/state" ]; then . "$1/state" 2>/dev/null; fi';

/**
 * Runs the words after $2 as a command of the session, so that `cd`, `export` and functions reach the next one. $2: a
 * directory for this command alone, or empty. The directory of the state belongs to the account alone.
 */
const EXEC = `${RESTORE}
if ! mkdir -m 700 -- "$1" 2>/dev/null && ! { [ -d "$1" ] && [ -O "$1" ] && [ ! -L "$1" ]; }; then
  echo "the session cannot keep its state in $1" >&2
  exit 125
fi
__session_state=$1 __session_back=
if [ -n "$2" ]; then
  __session_back=$PWD
  cd -- "$2" || exit 125
fi
__session_keep() {
  local code=$?
  if [ -n "$__session_back" ]; then cd -- "$__session_back"; fi
  local to=$__session_state
  unset __session_state __session_back
  unset -f __session_keep
  { export -p; declare -f; printf 'cd -- %q\\n' "$PWD"; } >"$to/new.$$" && mv -f -- "$to/new.$$" "$to/state"
  exit "$code"
}
trap __session_keep EXIT
shift 2
"$@"`;

const SHELL = `${RESTORE}
shift
exec "$@"`;

interface Started {
  readonly program: string;
  readonly args: readonly string[];
}

/** @param directory for this command alone */
export function execInSession(session: SessionRecord, argv: readonly string[], directory: string | undefined): Started {
  return { program: 'bash', args: ['-c', EXEC, 'session', session.directory, directory ?? '', ...argv] };
}

export function shellInSession(session: SessionRecord, shell: string): Started {
  return { program: 'bash', args: ['-c', SHELL, 'session', session.directory, shell] };
}
