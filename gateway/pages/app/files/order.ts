import type { Entry } from './place.ts';

export type Column = 'name' | 'size' | 'modified_time';

export interface Order {
  readonly column: Column;
  readonly isDescending: boolean;
}

/** Unfinished uploads of the service (docs/contract.md §3). */
const PART = /^\.svc-upload-.*\.part$/;

/** The entries that a filter leaves, directories first, in an order. Those of the service are in that of their names. */
export function arranged(
  entries: readonly Entry[],
  { column, isDescending }: Order,
  { filter, showsHidden }: { readonly filter: string; readonly showsHidden: boolean },
): readonly Entry[] {
  const wanted = filter.toLowerCase();
  const left = entries.filter(
    ({ name, is_hidden: isHidden }) =>
      (showsHidden || !isHidden) && !PART.test(name) && (wanted === '' || name.toLowerCase().includes(wanted)),
  );
  if (column === 'size') left.sort((a, b) => a.size - b.size);
  else if (column === 'modified_time') left.sort((a, b) => (a.modified_time < b.modified_time ? -1 : 1));
  if (isDescending) left.reverse();
  return [...left.filter((entry) => entry.is_directory), ...left.filter((entry) => !entry.is_directory)];
}
