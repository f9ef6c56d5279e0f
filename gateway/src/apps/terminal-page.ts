import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { Admission } from '../exchange/admission.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { sendError } from '../exchange/responses.ts';
import { PageFiles } from './page-files.ts';
import { redirectToSlash } from './slash-redirect.ts';

/** xterm.js adds inline style elements; all other content and frames must be of this origin. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'";

const FILES = new PageFiles('terminal');

/** The web terminal under `/terminal/`. */
export async function sendTerminal(exchange: Exchange, admission: Admission): Promise<void> {
  const { path } = exchange.target;
  if (isUpgrade(exchange)) {
    sendError(exchange, 404, { message: 'no WebSocket at this path', hint: 'connect to /v2/pty/sessions/{id}/ws' });
  } else if (path === GATEWAY_PATHS.terminal) {
    redirectToSlash(exchange, admission);
  } else {
    const headers = { 'Content-Security-Policy': `${POLICY}; ${admission.frameRule}` };
    const name = path.slice(GATEWAY_PATHS.terminal.length + 1) || 'index.html';
    await FILES.send(exchange, name, { headers, cookies: admission.cookies });
  }
}
