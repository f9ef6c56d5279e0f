import type { Admission } from '../auth.ts';
import { answer } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Leads from `/vnc` to `/vnc/`, relative, so that it holds behind a proxy that took a prefix away. */
export function answerSlash(exchange: Exchange, { cookies }: Admission): void {
  const { path, query } = exchange.target;
  const segment = path.slice(path.lastIndexOf('/') + 1);
  const Location = `${segment}/${query === undefined ? '' : `?${query}`}`;
  answer(exchange, 308, cookies.length > 0 ? { Location, 'Set-Cookie': [...cookies] } : { Location }, '');
}
