import type { Admission } from '../exchange/admission.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { sendResponse } from '../exchange/responses.ts';

/** Redirects from `/vnc` to `/vnc/`; relative, so that it works behind a proxy that strips a prefix. */
export function redirectToSlash(exchange: Exchange, { cookies }: Admission): void {
  const { path, query } = exchange.target;
  const segment = path.slice(path.lastIndexOf('/') + 1);
  const Location = `${segment}/${query === undefined ? '' : `?${query}`}`;
  sendResponse(exchange, 308, cookies.length > 0 ? { Location, 'Set-Cookie': [...cookies] } : { Location }, '');
}
