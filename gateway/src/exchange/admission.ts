import { queryParts } from '@sandbox/program/query-parts.ts';
import type { UsedCredential } from '../access/credential-uses.ts';

/** What the daemon returns for an admitted request. */
export interface Admission {
  /** `Set-Cookie` values for the response. */
  readonly cookies: readonly string[];
  /**
   * What carries a credential of the service and must not reach applications: names of headers in lower case, and
   * query parameters as `?` and their position in `queryParts`.
   */
  readonly credentials: ReadonlySet<string>;
  /** The CSP directive for the gateway's own pages and those of the image's applications. */
  readonly frameRule: string;
  /** For the preview that the request opens on a host of its own. */
  readonly previewTicket?: string | undefined;
  /** Whether the request may watch, and sends no input. */
  readonly isViewOnly?: boolean;
  /** What opened the request; undefined for a public path. */
  readonly credential?: UsedCredential | undefined;
}

/** Until the daemon names further origins. */
export const OWN_FRAMES = "frame-ancestors 'self'";

/** The query without the parameters that carry a credential, with its question mark; the rest stays unchanged. */
export function queryWithout(query: string | undefined, { credentials }: Pick<Admission, 'credentials'>): string {
  const parts = query === undefined ? [] : queryParts(query);
  const kept = parts.filter((_, index) => !credentials.has(`?${index}`)).join('');
  // The last parameter has no separator.
  const text = credentials.has(`?${parts.length - 1}`) ? kept.slice(0, -1) : kept;
  return text === '' ? '' : `?${text}`;
}

/** Only the parameters of the query that carry a credential, with its question mark. */
export function queryWith(query: string | undefined, { credentials }: Admission): string {
  const parts = query === undefined ? [] : queryParts(query);
  const kept = parts.filter((_, index) => credentials.has(`?${index}`)).map((part) => part.replace(/[&;]$/, ''));
  return kept.length > 0 ? `?${kept.join('&')}` : '';
}
