import type { Stats } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import type { Numbered } from '../../core/event-log.ts';
import type { ByteName } from '../../core/files/byte-name.ts';
import { type FilePath, shownPath } from '../../core/files/file-path.ts';
import { type Change, type ChangeType, changeOf } from './change.ts';
import type { PathFilter } from './path-filter.ts';
import { rootName, statRoot } from './root-name.ts';
import type { WatchBackend } from './watch-backend.ts';
import { eventOf, type WatchEvent } from './watch-event.ts';

export interface WaitRequest {
  readonly path: FilePath;
  readonly types: readonly ChangeType[];
  /** Milliseconds. */
  readonly timeoutMs: number;
}

export interface FirstChange {
  readonly root: ByteName;
  readonly event: Numbered<WatchEvent>;
}

/**
 * The first change of these types at a path, which need not exist. An existing file or directory counts as created.
 * Changes count from the call on, also those that happen before the backend watches.
 * @throws SandboxError `unavailable` if no such change happens in time or the signal fires
 */
export async function firstChange(
  backend: WatchBackend,
  filter: PathFilter,
  { path, types, timeoutMs }: WaitRequest,
  signal: AbortSignal,
): Promise<FirstChange> {
  const root = rootName(path);
  const deadline = performance.now() + timeoutMs;
  const first = Promise.withResolvers<Change>();
  const accept = (change: Change): void => {
    if (change.path === '' && types.includes(change.type)) first.resolve(change);
  };
  const acceptExisting = (): void => {
    const stat = statRoot(root);
    if (stat) accept(changeOf('create', '', stat.isDirectory()));
  };
  const atCall = statRoot(root);
  const terms = { root, recursive: false, filter };
  await using _source = await backend.watch(terms, { change: accept, lost: acceptExisting });
  for (const type of changesBetween(atCall, statRoot(root))) accept(changeOf(type, '', atCall?.isDirectory() ?? false));
  acceptExisting();
  const end = await waitFor(first.promise, { ms: deadline - performance.now(), signal });
  if (end === 'settled') return { root, event: { ...eventOf(root, await first.promise), seq: 1 } };
  throw new SandboxError('unavailable', `nothing of ${types.join(', ')} happened at ${shownPath(path)} in time`, {
    hint: 'wait again, longer, or for other events',
  });
}

/** What two looks at a path show as happened between them. */
function changesBetween(before: Stats | undefined, now: Stats | undefined): ChangeType[] {
  if (before === undefined) return [];
  if (now === undefined || before.isDirectory() !== now.isDirectory()) return ['remove'];
  const isOther = before.ino !== now.ino || before.dev !== now.dev;
  if (now.isDirectory()) return isOther ? ['remove'] : changesOfMode(before, now);
  const isWritten = isOther || before.mtimeMs !== now.mtimeMs || before.size !== now.size;
  return isWritten ? ['write'] : changesOfMode(before, now);
}

function changesOfMode(before: Stats, now: Stats): ChangeType[] {
  return before.mode !== now.mode || before.uid !== now.uid || before.gid !== now.gid ? ['chmod'] : [];
}
