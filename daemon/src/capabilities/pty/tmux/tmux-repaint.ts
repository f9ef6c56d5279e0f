/**
 * What a pipe of tmux says first where it takes up a session after a gap: what was written in it is not to be had any
 * more, the screen that it led to is. `begin` comes before the pipe in the same line, so that nothing falls between them.
 */
export function repaintOf(tmux: string, name: string): { readonly begin: readonly string[]; readonly first: string } {
  const buffer = `svc-${name}`;
  const taken = `${tmux} show-buffer -b ${buffer}; ${tmux} delete-buffer -b ${buffer}`;
  // Its size and what is set in it are the pane's; with LNM (20) a line feed goes to the beginning of the next line.
  const before = '#{?alternate_on,\\033[?1049h,}\\033[0m\\033[2J\\033[H\\033[20h';
  const cursor = '\\033[20l\\033[0m\\033[#{e|+:1,#{cursor_y}};#{e|+:1,#{cursor_x}}H';
  return {
    begin: ['capture-pane', '-e', '-b', buffer, '-t', `=${name}:`, ';'],
    // tmux takes a single percent sign for a part of the date.
    first: `printf "${before}%%s${cursor}" "$(${taken})"`,
  };
}
