import { VERSION } from '@sandbox/api/version.ts';
import type { Exchange, LoggedRequest } from './logged-request.ts';

interface Named {
  readonly name: string;
  readonly value: string;
}

const NOTHING: Exchange = {
  requestHeaders: {},
  responseHeaders: {},
  statusText: '',
  protocol: '',
  receivedBytes: -1,
  waitMs: undefined,
};

/** The requests as a HAR 1.2 document, without bodies. */
export function harOf(requests: readonly LoggedRequest[]): object {
  const creator = { name: 'sandboxd', version: VERSION };
  return { log: { version: '1.2', creator, pages: [], entries: requests.map(entryOf) } };
}

function entryOf(request: LoggedRequest): object {
  const { url, startedAt, durationMs, status, error, exchange = NOTHING } = request;
  const time = durationMs ?? 0;
  const wait = Math.min(exchange.waitMs ?? time, time);
  return {
    startedDateTime: startedAt.toISOString(),
    time,
    request: {
      method: request.method,
      url,
      httpVersion: exchange.protocol,
      cookies: cookiesOf(exchange.requestHeaders, 'cookie', ';'),
      headers: headersOf(exchange.requestHeaders),
      queryString: queryOf(url),
      headersSize: -1,
      bodySize: -1,
    },
    response: {
      status: status ?? 0,
      statusText: exchange.statusText,
      httpVersion: exchange.protocol,
      cookies: cookiesOf(exchange.responseHeaders, 'set-cookie', '\n'),
      headers: headersOf(exchange.responseHeaders),
      content: { size: -1, mimeType: request.mimeType ?? 'x-unknown' },
      redirectURL: headerOf(exchange.responseHeaders, 'location') ?? '',
      headersSize: -1,
      bodySize: exchange.receivedBytes,
    },
    cache: {},
    timings: { send: 0, wait, receive: time - wait },
    _resourceType: request.type,
    _tabId: request.tabId,
    ...(error !== null && { _error: error }),
  };
}

function headersOf(headers: Readonly<Record<string, string>>): Named[] {
  return Object.entries(headers).flatMap(([name, value]) => value.split('\n').map((each) => ({ name, value: each })));
}

function headerOf(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Name and value of each cookie of a header. */
function cookiesOf(headers: Readonly<Record<string, string>>, header: string, between: string): Named[] {
  const given = headerOf(headers, header);
  if (given === undefined) return [];
  return given.split(between).map((each) => {
    const [pair = ''] = each.split(';', 1);
    const at = pair.indexOf('=');
    return { name: pair.slice(0, Math.max(at, 0)).trim(), value: pair.slice(at + 1).trim() };
  });
}

function queryOf(url: string): Named[] {
  const parsed = URL.parse(url);
  return parsed === null ? [] : [...parsed.searchParams].map(([name, value]) => ({ name, value }));
}
