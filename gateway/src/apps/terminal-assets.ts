import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the terminal page, under the name that it is served by. */
export interface TerminalAsset {
  readonly name: string;
  /** Where it lies in a checkout. */
  readonly path: string;
}

const OWN = ['index.html', 'terminal.css', 'terminal.js', 'api.js', 'connection.js', 'clipboard.js'];

/** Everything that the page loads, as it lies in a checkout; a bundle has copies of it beside it. */
export function terminalAssets(): TerminalAsset[] {
  return [
    ...OWN.map((name) => ({ name, path: join(import.meta.dirname, '../../terminal', name) })),
    { name: 'xterm.mjs', path: fileURLToPath(import.meta.resolve('@xterm/xterm/lib/xterm.mjs')) },
    { name: 'xterm.css', path: fileURLToPath(import.meta.resolve('@xterm/xterm/css/xterm.css')) },
    { name: 'addon-fit.mjs', path: fileURLToPath(import.meta.resolve('@xterm/addon-fit/lib/addon-fit.mjs')) },
  ];
}
