import { chmodSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHANGE_TYPES, type ChangeType } from './change.ts';
import { describeOnBackends, Watching } from './watching.fixture.ts';

const LATER: readonly ChangeType[] = CHANGE_TYPES.filter((type) => type !== 'create');

interface Row {
  readonly type: ChangeType;
  readonly what: string;
  readonly before: (path: string) => void;
  readonly change: (watching: Watching, path: string) => void;
}

const file = (path: string): void => writeFileSync(path, 'before', { mode: 0o644 });
const directory = (path: string): void => void mkdirSync(path);

const ROWS: readonly Row[] = [
  { type: 'write', what: 'a file that is replaced', before: file, change: (watching) => watching.put('at', 'after') },
  { type: 'write', what: 'a file that grows', before: file, change: (_, path) => writeFileSync(path, 'afterwards') },
  { type: 'chmod', what: 'a mode that changes', before: file, change: (_, path) => chmodSync(path, 0o600) },
  { type: 'remove', what: 'a file that is removed', before: file, change: (_, path) => rmSync(path) },
  { type: 'remove', what: 'a directory that is removed', before: directory, change: (_, path) => rmdirSync(path) },
];

describeOnBackends(({ open }) => {
  test.for(ROWS)('[watch-field.wait-create] a wait sees $what before the backend watches', async (row) => {
    await using watching = new Watching(open());
    const path = watching.path('at');
    row.before(path);
    const request = { path, types: LATER, timeoutMs: 60_000 };
    const waiting = watching.service.wait(request, new AbortController().signal);
    // In the same turn of the event loop: no backend watches yet.
    row.change(watching, path);
    expect((await waiting).event.type).toBe(row.type);
  });
});
