import { textBeginning } from '@sandbox/program/text-beginning.ts';

/** Characters of a URL that are kept. */
export const URL_KEPT = 2048;
/** Characters of a data URL that are kept: what follows is the data. */
export const DATA_URL_KEPT = 100;
/** Characters of every other text that a page or its server chooses. */
const TEXT_KEPT = 200;

/** What a record of the traffic has beside the rest: headers and times. */
export interface Exchange {
  readonly requestHeaders: Readonly<Record<string, string>>;
  responseHeaders: Readonly<Record<string, string>>;
  statusText: string;
  /** As the browser names it: `h2`, `http/1.1`. */
  protocol: string;
  /** Bytes on the network, headers too; -1: not known. */
  receivedBytes: number;
  /** Milliseconds until the first byte of the answer; undefined: not known. */
  waitMs: number | undefined;
}

/** One request of a page, as far as it is known. */
export interface LoggedRequest {
  /** Absent if too much was kept since. */
  exchange?: Exchange | undefined;
  readonly id: string;
  readonly tabId: string;
  readonly url: string;
  readonly method: string;
  readonly type: string;
  readonly startedAt: Date;
  status: number | null;
  mimeType: string | null;
  durationMs: number | null;
  failed: boolean;
  /** Why it failed, in the words of the browser. */
  error: string | null;
}

/** The beginning of a URL that is long. */
export function shortUrl(url: string): string {
  return cut(url, url.startsWith('data:') ? DATA_URL_KEPT : URL_KEPT);
}

export function cut(text: string, most = TEXT_KEPT): string {
  return text.length > most ? `${textBeginning(text, most)}…` : text;
}
