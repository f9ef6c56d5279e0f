import { describe } from 'vitest';

/** As `describe.each`, with rows that the machine may lack: their tests are skipped there, where a report shows them. */
export function describeRows<Row extends { readonly isThere: boolean }>(
  rows: readonly Row[],
  title: (row: Row) => string,
  define: (row: Row) => void,
): void {
  for (const row of rows) describe.runIf(row.isThere)(title(row), () => define(row));
}
