import { basename } from 'node:path';

/** Shells with a script of their own. */
export type ShellKind = 'bash' | 'zsh' | 'sh';

/** `program`: the real path of the shell. Undefined: `exec` types its commands as lines. */
export function shellKindOf(program: string): ShellKind | undefined {
  const name = basename(program);
  if (name === 'bash' || name === 'zsh') return name;
  return ['sh', 'dash', 'ash', 'busybox', 'ksh', 'mksh'].includes(name) ? 'sh' : undefined;
}

/** A directory that the shell enters before a command. */
export interface Entry {
  readonly path: string;
  /** Whether `$PWD` becomes the path as it was given, or the one without symlinks. */
  readonly symlinks: 'keep' | 'resolve';
  /** Where the shell cannot enter it, the command does not run; else it runs where the shell is. */
  readonly required: boolean;
}

export interface ExecScript {
  readonly command: string;
  readonly entry?: Entry | undefined;
  /** Part of the marks, so that no program can forge them. */
  readonly nonce: string;
  /** Printed before the command; it replaces the typed line. */
  readonly echo: string;
  /** Path of the script itself, which takes the exit code at the end: a full disk drops the mark. */
  readonly path: string;
}

/** Characters of a command that the terminal shows. */
const SHOWN = 2000;

/**
 * A script that the shell reads (`. path`). It prints a mark where the output of the command begins (OSC 133;C), runs
 * the command in the shell itself, and prints a mark with the exit code where it ends (OSC 133;D). The next prompt
 * prints the end mark where an interrupt, `return` or a shell error ended the script before. The marks are written to
 * /dev/tty, since the command may redirect the shell. Before the end mark the exit code replaces the script, which bash
 * has read whole; the other shells have, because its last lines are one command.
 */
export function execScript(kind: ShellKind, script: ExecScript): string {
  return { bash, zsh, sh }[kind](script);
}

/** The line that the shell is typed: it keeps the status of the command before, stops tracing, and reads the script. */
export function execLine(path: string): string {
  const file = /[^\w./-]/.test(path) ? quoted(path) : path;
  return ` { __svc_p=$? __svc_x=$-;set +x;} 2>/dev/null;. ${file}`;
}

/**
 * Escape sequences that erase a typed line and show the command after the prompt.
 * @param column first column of the line, from 0; undefined: not known, and the line stays
 */
export function echoOf(command: string, line: string, column: number | undefined, cols: number): string {
  if (column === undefined) return '';
  const shown = command.length > SHOWN ? `${command.slice(0, SHOWN)}…` : command;
  const printable = shown.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '?');
  const rows = Math.floor((column + line.length) / cols) + 1;
  return `\x1b[${rows}A\x1b[${column + 1}G\x1b[J${printable}\n`;
}

const beginMark = (nonce: string): string => `\x1b]133;C;svc=${nonce}\x07`;

function bash({ command, nonce, echo, entry, path }: ExecScript): string {
  return `__svc_n=${nonce} __svc_f=${quoted(path)} __svc_c=${quoted(command)}
__svc_end() {
  builtin local s=\${1-$?}
  if [[ -n \${__svc_n-} ]]; then
    { [[ -f \${__svc_f-} ]] && builtin printf %s "$s" >| "$__svc_f" || builtin true; } 2>/dev/null
    builtin printf '\\e]133;D;%s;svc=%s;%s\\a' "$s" "$__svc_n" "$PWD" 2>/dev/null >/dev/tty
    __svc_n=
  fi
  [[ $- == *e* ]] && builtin return 0
  builtin return $s
}
if [[ " \${PROMPT_COMMAND[*]-} " != *__svc_end* ]]; then
  PROMPT_COMMAND="{ __svc_end; } 2>/dev/null\${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
  HISTIGNORE="\${HISTIGNORE:+$HISTIGNORE:}*. /*/svc-exec-*"
  if [[ $(HISTTIMEFORMAT= builtin history 1 2>/dev/null) == *svc-exec-* ]]; then builtin history -d -1 2>/dev/null; fi
fi
[[ -o history ]] && builtin history -s -- "$__svc_c" 2>/dev/null
${entered('builtin', entry)}builtin printf %s ${quoted(echo + beginMark(nonce))} 2>/dev/null >/dev/tty
${evaluated('builtin', entry)}
${ended('builtin')}
__svc_end "$__svc_p" || builtin true
${LEFT}
`;
}

function zsh({ command, nonce, echo, entry, path }: ExecScript): string {
  return `__svc_n=${nonce} __svc_f=${quoted(path)} __svc_c=${quoted(command)}
__svc_end() { {
  builtin local s=\${1-$?}
  if [[ -n \${__svc_n-} ]]; then
    { [[ -f \${__svc_f-} ]] && builtin printf %s "$s" >| "$__svc_f" || builtin true; } 2>/dev/null
    builtin printf '\\e]133;D;%s;svc=%s;%s\\a' "$s" "$__svc_n" "$PWD" 2>/dev/null >/dev/tty
    __svc_n=
  fi
  return $s
} 2>/dev/null; }
if [[ " \${precmd_functions-} " != *__svc_end* ]]; then
  builtin typeset -ga precmd_functions
  precmd_functions=(__svc_end $precmd_functions)
  builtin setopt hist_ignore_space
fi
builtin print -s -r -- "$__svc_c"
${entered('builtin', entry)}builtin printf %s ${quoted(echo + beginMark(nonce))} 2>/dev/null >/dev/tty
${evaluated('builtin', entry)}
{
${ended('builtin')}
__svc_end "$__svc_p" || builtin true
${LEFT}
}
`;
}

/** POSIX shells have no prompt hook; they expand PS1 each time, so the prompt itself prints the end mark. */
function sh({ command, nonce, echo, entry, path }: ExecScript): string {
  return `__svc_n=${nonce} __svc_f=${quoted(path)} __svc_c=${quoted(command)}
case \${PS1-} in
*__svc_n*) ;;
*) PS1='\${__svc_n:+\x1b]133;D;$?;svc=$__svc_n;$PWD\x07}'"\${PS1-}" ;;
esac
${entered('command', entry)}command printf %s ${quoted(echo + beginMark(nonce))} 2>/dev/null >/dev/tty
${evaluated('command', entry)}
{
${ended('command')}
{ [ -f "$__svc_f" ] && command printf %s "$__svc_p" >| "$__svc_f" || command true; } 2>/dev/null
command printf '\\033]133;D;%s;svc=%s;%s\\007' "$__svc_p" "$__svc_n" "$PWD" 2>/dev/null >/dev/tty
__svc_n=
${LEFT}
}
`;
}

/** Enters a directory that is not required; a failure shows nothing and ends no shell with `set -e`. */
function entered(prefix: string, entry: Entry | undefined): string {
  if (entry === undefined || entry.required) return '';
  return `${prefix} ${changeTo(entry)} >/dev/null 2>&1 || ${prefix} true\n`;
}

/** Turns tracing on with a status other than 0. No function does it: zsh restores the option when one returns. */
const TRACING = '{ set -x; (exit $__svc_p); } 2>/dev/null && :';

/**
 * Runs the command with the status and the tracing that the line of `execLine` found. Neither a trap on ERR nor
 * `set -e` sees the status (it is that of a condition), and the trace has no line of the service.
 */
function evaluated(prefix: string, entry: Entry | undefined): string {
  const evaluate = `${prefix} eval "$__svc_c"`;
  const run = `if __svc_r; then ${evaluate}; else ${evaluate}; fi`;
  return `__svc_r() { return "$__svc_p"; }
case $__svc_x,$__svc_p in
*x*,0) __svc_c="set -x
$__svc_c" ;;
*x*) __svc_c="${TRACING}
$__svc_c" ;;
esac
${entry?.required ? `if ${prefix} ${changeTo(entry)}; then ${run}; else ${prefix} false; fi` : run}`;
}

/** Keeps the status and the options that the command left, and stops its tracing. */
const ended = (prefix: string): string => `{ __svc_p=$? __svc_x=$-; ${prefix} set +x; } 2>/dev/null`;

/** Traces again, and leaves the status of the command to the next one; with `set -e` that would end the shell. */
const LEFT = `case $__svc_x in *e*) __svc_p=0 ;; esac
case $__svc_x,$__svc_p in
*x*,0) set -x ;;
*x*) ${TRACING} ;;
*) __svc_r && : ;;
esac`;

function changeTo({ path, symlinks }: Entry): string {
  return `cd ${symlinks === 'keep' ? '-L' : '-P'} -- ${quoted(path)}`;
}

/** Any text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
