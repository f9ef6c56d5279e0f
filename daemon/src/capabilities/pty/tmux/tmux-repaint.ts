/**
 * The screen of a tmux session, for a pipe that starts after a gap: output of the gap is lost, its effect on the screen
 * is not. `begin` captures the screen; it is in one line with the pipe, so that no output is lost between them. `first`
 * is the shell command that prints the captured screen.
 */
export function repaintOf(tmux: string, name: string): { readonly begin: readonly string[]; readonly first: string } {
  const buffer = `svc-${name}`;
  const taken = `${tmux} show-buffer -b ${buffer}; ${tmux} delete-buffer -b ${buffer}`;
  // With LNM (mode 20) a line feed also returns to the first column.
  const before = '#{?alternate_on,\\033[?1049h,}\\033[0m\\033[2J\\033[H\\033[20h';
  const cursor = '\\033[20l\\033[0m\\033[#{e|+:1,#{cursor_y}};#{e|+:1,#{cursor_x}}H';
  return {
    begin: ['capture-pane', '-e', '-b', buffer, '-t', `=${name}:`, ';'],
    // tmux expands a single percent sign as a date format.
    first: `printf "${before}%%s${cursor}" "$(${taken})"`,
  };
}
