/**
 * The tmux commands that write what a session shows, and then what its program writes, to a named pipe: for a reader that
 * starts after a gap. Output of the gap is lost, its effect on the screen is not. The screen is captured in one line with
 * the pipe, so that no output is lost between them. `tmux`: the command as a shell reads it.
 */
export function repaintTo(path: string, tmux: string, name: string, isDead: boolean): readonly string[] {
  const [buffer, at] = [`svc-${name}`, `=${name}:`];
  const taken = `${tmux} show-buffer -b ${buffer}; ${tmux} delete-buffer -b ${buffer}`;
  // With LNM (mode 20) a line feed also returns to the first column.
  const before = '#{?alternate_on,\\033[?1049h,}\\033[0m\\033[2J\\033[H\\033[20h';
  const cursor = '\\033[20l\\033[0m\\033[#{e|+:1,#{cursor_y}};#{e|+:1,#{cursor_x}}H';
  const captured = ['capture-pane', '-e', '-b', buffer, '-t', at, ';'];
  const shown = (text: string) => `exec > ${path}; printf "${before}${text}${cursor}" "$(${taken})"`;
  // A program that has ended has nothing to pipe.
  if (isDead) return [...captured, 'run-shell', '-b', '-t', at, shown('%s')];
  // pipe-pane expands a single percent sign as a date format.
  return ['pipe-pane', '-t', at, ';', ...captured, 'pipe-pane', '-O', '-t', at, `${shown('%%s')}; exec cat`];
}
