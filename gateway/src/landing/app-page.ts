import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import { PageFiles } from '../apps/page-files.ts';
import type { Admission } from '../exchange/admission.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { sendError } from '../exchange/responses.ts';

const FILES = new PageFiles('app');

/** What the landing page loads with the key: script, styles and icon under `/app/`. */
export async function sendAppFile(exchange: Exchange, { cookies, frameRule }: Admission): Promise<void> {
  const name = exchange.target.path.slice(GATEWAY_PATHS.app.length + 1);
  if (isUpgrade(exchange)) {
    sendError(exchange, 404, {
      message: 'no WebSocket at this path',
      hint: 'connect to a WebSocket of /v2, such as /v2/pty/ws',
    });
  } else if (name === '') {
    sendError(exchange, 404, { message: 'the app is at /', hint: 'open /' });
  } else {
    const headers = { 'Content-Security-Policy': `default-src 'none'; ${frameRule}` };
    await FILES.send(exchange, name, { headers, cookies });
  }
}
