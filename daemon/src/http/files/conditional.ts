import type { IncomingHttpHeaders } from 'node:http';

export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  readonly modified: Date;
}

/** What the conditions of a request come to (RFC 9110 §13.2.2), and whether its range is to be honoured. */
export type ConditionOutcome = { readonly status: 200 | 304 | 412; readonly honoursRange: boolean };

export function judgeConditions(headers: IncomingHttpHeaders, validators: Validators): ConditionOutcome {
  if (failsMatch(headers, validators)) return { status: 412, honoursRange: false };
  if (isUnchanged(headers, validators)) return { status: 304, honoursRange: false };
  return { status: 200, honoursRange: matchesIfRange(headers['if-range'], validators) };
}

function failsMatch(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const match = headers['if-match'];
  if (match !== undefined) return !tagsOf(match).some((tag) => tag === '*' || tag === etag);
  const since = timeOf(headers['if-unmodified-since']);
  return since !== undefined && wholeSeconds(modified) > since;
}

/** `If-None-Match` compares weakly (§13.1.2) and makes `If-Modified-Since` void. */
function isUnchanged(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) {
    return tagsOf(noneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
  }
  const since = timeOf(headers['if-modified-since']);
  return since !== undefined && wholeSeconds(modified) <= since;
}

function matchesIfRange(ifRange: string | string[] | undefined, { etag, modified }: Validators): boolean {
  if (ifRange === undefined) return true;
  const value = [ifRange].flat()[0]?.trim() ?? '';
  return value.startsWith('"') || value.startsWith('W/') ? value === etag : timeOf(value) === wholeSeconds(modified);
}

function tagsOf(list: string): string[] {
  return list.split(',').map((tag) => tag.trim());
}

function timeOf(date: string | undefined): number | undefined {
  const time = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? undefined : time;
}

/** Dates of HTTP have no fractions. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
