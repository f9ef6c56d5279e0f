import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the terminal page, with its name in the URL. */
export interface TerminalAsset {
  readonly name: string;
  /** Path in a checkout. */
  readonly path: string;
}

const OWN = ['index.html', 'terminal.css', 'terminal.js', 'api.js', 'connection.js', 'clipboard.js'];

/** All files that the page loads, with their paths in a checkout; the bundle has copies in a directory beside it. */
export function terminalAssets(): TerminalAsset[] {
  return [
    ...OWN.map((name) => ({ name, path: join(import.meta.dirname, '../../terminal', name) })),
    { name: 'xterm.mjs', path: fileURLToPath(import.meta.resolve('@xterm/xterm/lib/xterm.mjs')) },
    { name: 'xterm.css', path: fileURLToPath(import.meta.resolve('@xterm/xterm/css/xterm.css')) },
    { name: 'addon-fit.mjs', path: fileURLToPath(import.meta.resolve('@xterm/addon-fit/lib/addon-fit.mjs')) },
  ];
}
