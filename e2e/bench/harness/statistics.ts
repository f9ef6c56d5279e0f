/** The median; of an even number of values, the mean of the two in the middle. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** The smallest value that `share` (0 to 1) of the values do not exceed. NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The median and the range of some values. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** NaN for each if a value is NaN. */
export function spreadOf(values: readonly number[]): Spread {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return { median: Number.isNaN(min) ? Number.NaN : median(values), min, max };
}
