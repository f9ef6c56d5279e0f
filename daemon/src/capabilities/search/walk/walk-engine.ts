import { onAbort } from '@sandbox/api/wait.ts';
import { credentialFiles } from '../../../core/access/credential-files.ts';
import { byteNameOf, pathOf } from '../../../core/files/byte-name.ts';
import { badRequest } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath, withoutTrailingSlashes } from '../../../core/files/file-path.ts';
import type { UnreadCounts } from '../../../core/files/walk/unread.ts';
import { MatchCollector } from '../match-collector.ts';
import type { FoundName, GrepRequest, GrepResult, NamesRequest, NamesResult, Stop } from '../requests.ts';
import { join } from './walk.ts';
import type { WorkerMessage, WorkerTask } from './worker-task.ts';

/** Milliseconds in which a search with just enough results may still end by itself, as with ripgrep. */
const GRACE_MS = 100;

interface Outcome {
  readonly filesSearched: number | null;
  readonly stop: Stop | undefined;
  readonly unread?: UnreadCounts | undefined;
}

/** Walks directories and matches lines in a worker thread: slower than ripgrep, with the same answers. */
export class WalkEngine {
  /** @throws FileFailure `bad_request` for an invalid pattern, or one that needs ripgrep */
  async grep(request: GrepRequest, isFile: boolean, signal: AbortSignal): Promise<GrepResult> {
    const { path, offset, maxResults, ...terms } = request;
    const root = byteNameOf(withoutTrailingSlashes(path));
    // The thread passes over the matches before the page.
    const collector = new MatchCollector({ skip: 0, wanted: maxResults });
    const withheld = credentialFiles();
    const task = { kind: 'grep', root, isFile, withheld, request: { ...terms, offset, maxResults } } as const;
    const outcome = await search(path, task, signal, (message) => {
      if (message.kind !== 'matches') return 'more';
      const file = pathOf(join(root, message.file));
      for (const match of message.matches) if (!collector.add({ ...match, file })) return 'enough';
      return collector.isFull ? 'perhaps' : 'more';
    });
    const stop = collector.stop ?? outcome.stop;
    const filesSearched = stop === undefined ? outcome.filesSearched : null;
    return { matches: collector.matches, filesSearched, stop, unread: outcome.unread };
  }

  /** @throws FileFailure `bad_request` */
  async names(request: NamesRequest, signal: AbortSignal): Promise<NamesResult> {
    const { path, ...terms } = request;
    const root = byteNameOf(withoutTrailingSlashes(path));
    const names: FoundName[] = [];
    const outcome = await search(path, { kind: 'names', root, request: terms }, signal, (message) => {
      if (message.kind !== 'names') return 'more';
      names.push(...message.names.map(({ name, isDirectory }) => ({ path: pathOf(join(root, name)), isDirectory })));
      return 'more';
    });
    const { filesSearched, stop, unread } = outcome;
    return { names, total: filesSearched ?? names.length, stop, unread };
  }
}

/** `take` answers whether the search continues; `perhaps`: only for `GRACE_MS`, to know whether there is more. */
async function search(
  path: FilePath,
  task: WorkerTask,
  signal: AbortSignal,
  take: (message: WorkerMessage) => 'more' | 'perhaps' | 'enough',
): Promise<Outcome> {
  const { startSearch } = await import('./search-worker.ts');
  const outcome = Promise.withResolvers<Outcome>();
  if (signal.aborted) return { filesSearched: null, stop: 'time' };
  const worker = startSearch(task);
  const stopped = (stop: Stop) => (): void => outcome.resolve({ filesSearched: null, stop });
  let grace: NodeJS.Timeout | undefined;
  using _listening = onAbort(signal, stopped('time'));
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'done') outcome.resolve(message);
    else if (message.kind === 'refused') outcome.reject(badRequest(message.reason, 'grep', shownPath(path)));
    else {
      const wish = take(message);
      if (wish === 'enough') stopped('results')();
      else if (wish === 'perhaps') grace ??= setTimeout(stopped('results'), GRACE_MS);
    }
  });
  worker.once('error', (error) => outcome.reject(error));
  worker.once('exit', () => outcome.reject(new Error('the search thread ended without a result')));
  try {
    return await outcome.promise;
  } finally {
    clearTimeout(grace);
    await worker.terminate();
  }
}
