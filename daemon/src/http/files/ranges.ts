/** Bytes from `start` up to, and without, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The one range that a `Range` header asks for (RFC 9110 §14.2). Undefined if the whole is to be sent: without a
 * header, for another unit, for one that cannot be read, and for several ranges, which a server may ignore.
 */
export function rangeOf(header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Number(last);
    return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) };
}

/** A piece of an upload: `bytes 0-99/200`, `bytes 0-99/*`, or `bytes *\/200`, which asks how much there is (RFC 9110 §14.4). */
export interface ContentRange {
  /** Undefined if no bytes come. */
  readonly range: Range | undefined;
  readonly total: number | undefined;
}

/** Undefined for another header, or one that contradicts itself. */
export function contentRangeOf(header: string): ContentRange | undefined {
  const [, span, whole] = /^bytes\s+(\d+-\d+|\*)\/(\d+|\*)$/.exec(header.trim()) ?? [];
  if (span === undefined || whole === undefined) return undefined;
  const total = whole === '*' ? undefined : Number(whole);
  if (span === '*') return total === undefined ? undefined : { range: undefined, total };
  const [start = 0, last = 0] = span.split('-').map(Number);
  const end = last + 1;
  const fits = end > start && Number.isSafeInteger(end) && (total === undefined || end <= total);
  return fits ? { range: { start, end }, total } : undefined;
}
