import { basename, dirname, join } from 'node:path';
import type { Admission } from '../exchange/admission.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { sendError } from '../exchange/responses.ts';
import { redirectToSlash } from './slash-redirect.ts';
import { StaticFiles } from './static-files.ts';
import { terminalAssets } from './terminal-assets.ts';

/** xterm.js adds inline style elements; all other content and frames must be of this origin. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'";

interface ServedFile {
  readonly files: StaticFiles;
  readonly name: string;
}

/** The files of the page in a checkout; empty in a bundle, which serves them from the directory beside it. */
const FILES = new Map<string, ServedFile>(import.meta.filename.endsWith('.ts') ? ofCheckout() : []);
const BUNDLED = new StaticFiles(
  join(import.meta.dirname, basename(import.meta.dirname) === 'chunks' ? '../terminal' : 'terminal'),
);

/** The web terminal under `/terminal/`. */
export async function sendTerminal(exchange: Exchange, admission: Admission): Promise<void> {
  if (isUpgrade(exchange)) {
    sendError(exchange, 404, { message: 'no WebSocket at this path', hint: 'connect to /v2/pty/sessions/{id}/ws' });
    return;
  }
  const [, prefix = '', name = ''] = /^(\/terminal)(?:\/(.*))?$/.exec(exchange.target.path) ?? [];
  if (exchange.target.path === prefix) {
    redirectToSlash(exchange, admission);
    return;
  }
  const served = FILES.get(name || 'index.html') ?? { files: BUNDLED, name: name || 'index.html' };
  const headers = { 'Content-Security-Policy': `${POLICY}; ${admission.frameRule}` };
  await served.files.send(exchange, { path: served.name, headers, cookies: admission.cookies });
}

function ofCheckout(): [string, ServedFile][] {
  return terminalAssets().map(({ name, path }) => [
    name,
    { files: new StaticFiles(dirname(path)), name: basename(path) },
  ]);
}
