import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { type E2bCall, sendJson } from '../call.ts';

/** Sandboxes of one page. */
const PAGE = 100;

/** A sandbox as lists have it. */
export interface ListedSandbox {
  readonly sandboxID: string;
  readonly templateID: string;
  readonly startedAt: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly state: 'running';
}

/** The sandboxes that the query selects, a page of them; the header `X-Next-Token` continues. */
export function listSandboxes({ res, query }: E2bCall, all: readonly ListedSandbox[]): void {
  const selected = all.filter(selectionOf(query)).sort((a, b) => a.startedAt.localeCompare(b.startedAt));
  if (query.get('order') !== 'asc') selected.reverse();
  const limit = wholeNumber(query, 'limit', PAGE, 1, PAGE);
  const from = wholeNumber(query, 'nextToken', 0, 0, Number.MAX_SAFE_INTEGER);
  const page = selected.slice(from, from + limit);
  const headers = from + limit < selected.length ? { 'x-next-token': String(from + limit) } : {};
  sendJson(res, 200, page, headers);
}

function selectionOf(query: URLSearchParams): (sandbox: ListedSandbox) => boolean {
  const states = query.getAll('state').flatMap((value) => value.split(','));
  const wanted = [...new URLSearchParams(query.get('metadata') ?? '')].map(([name, value]) => {
    return [plain(name), plain(value)] as const;
  });
  const after = Date.parse(query.get('startedAfter') ?? '');
  const template = query.get('template');
  return ({ metadata, state, startedAt, templateID }) =>
    (states.length === 0 || states.includes(state)) &&
    (Number.isNaN(after) || Date.parse(startedAt) >= after) &&
    (template === null || template === templateID) &&
    wanted.every(([name, value]) => metadata[name] === value);
}

/** The clients encode names and values twice. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function wholeNumber(query: URLSearchParams, name: string, fallback: number, min: number, max: number): number {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new SandboxError('invalid', `${name} must be a whole number from ${min} to ${max}`);
}
