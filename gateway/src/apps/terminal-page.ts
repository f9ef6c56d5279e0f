import { basename, dirname, join } from 'node:path';
import { answer, answerRefusal } from '../exchange/answers.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { StaticFiles } from './static-files.ts';
import { terminalAssets } from './terminal-assets.ts';

/** xterm.js writes its own style elements; everything else is of this origin, and nobody else may frame it. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
};

interface ServedFile {
  readonly files: StaticFiles;
  readonly name: string;
}

/** Where each file of the page is served from: a checkout, or the directory beside a bundle. */
const FILES = new Map<string, ServedFile>(import.meta.filename.endsWith('.ts') ? ofCheckout() : []);
const BUNDLED = new StaticFiles(
  join(import.meta.dirname, basename(import.meta.dirname) === 'chunks' ? '../terminal' : 'terminal'),
);

/** The web terminal under `/terminal/`. */
export async function answerTerminal(exchange: Exchange, cookies: readonly string[]): Promise<void> {
  const { path, query } = exchange.target;
  if (isUpgrade(exchange)) {
    answerRefusal(exchange, 404, { message: 'there is no WebSocket here', hint: 'attach to /v2/pty/sessions/{id}/ws' });
    return;
  }
  const [, prefix = '', name = ''] = /^(\/terminal)(?:\/(.*))?$/.exec(path) ?? [];
  if (path === prefix) {
    // Relative, so that it holds behind a prefix too; the page's own addresses need the slash.
    const headers = { Location: `terminal/${query === undefined ? '' : `?${query}`}`, 'Set-Cookie': [...cookies] };
    answer(exchange, 308, headers, '');
    return;
  }
  const served = FILES.get(name || 'index.html') ?? { files: BUNDLED, name: name || 'index.html' };
  await served.files.answer(exchange, { path: served.name, headers: HEADERS, cookies });
}

function ofCheckout(): [string, ServedFile][] {
  return terminalAssets().map(({ name, path }) => [
    name,
    { files: new StaticFiles(dirname(path)), name: basename(path) },
  ]);
}
