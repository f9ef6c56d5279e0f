import { describe } from 'vitest';

/** Like `describe.each`; tests of rows that the machine cannot run are skipped, so that the report shows them. */
export function describeRows<Row extends { readonly isThere: boolean }>(
  rows: readonly Row[],
  title: (row: Row) => string,
  define: (row: Row) => void,
): void {
  for (const row of rows) describe.runIf(row.isThere)(title(row), () => define(row));
}
