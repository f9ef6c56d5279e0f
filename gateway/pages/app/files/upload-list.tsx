import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { bytesText, countText } from '../parts/format.ts';
import { routeTo } from '../route.ts';
import type { Place } from './place.ts';
import { type UploadItem, type UploadState, uploads } from './upload-queue.ts';

const WORDS: Readonly<Record<UploadState, string>> = {
  queued: 'queued',
  sending: '',
  waiting: 'waiting for the sandbox, then it goes on',
  done: 'uploaded',
  failed: 'failed',
  exists: 'a file with this name exists',
  cancelled: 'cancelled',
};

/** The uploads of this page, above every view. */
export function UploadList(): JSX.Element | null {
  const items = useUploads();
  if (items.length === 0) return null;
  const left = items.filter(({ state }) => isOpen(state)).length;
  return (
    <aside class="uploads" aria-label="Uploads">
      <header>
        <strong role="status">{left > 0 ? `${countText(left, 'upload')} left` : 'Uploads'}</strong>
        <button type="button" class="plain" onClick={() => uploads.clear()}>
          Clear
        </button>
      </header>
      <ul>
        {items.slice(-30).map((item) => (
          <UploadRow key={item.id} item={item} />
        ))}
      </ul>
    </aside>
  );
}

function UploadRow({ item }: { readonly item: UploadItem }): JSX.Element {
  const { name, file, state, sent, rate, message } = item;
  const rateText = state === 'sending' && rate > 0 ? ` · ${bytesText(rate)}/s` : '';
  return (
    <li class={state}>
      {state === 'done' ? (
        <a class="name" href={routeToFile(item.target)}>
          {name}
        </a>
      ) : (
        <span class="name">{name}</span>
      )}
      <progress
        max={Math.max(1, file.size)}
        value={state === 'done' ? Math.max(1, file.size) : sent}
        aria-label={name}
      />
      <span class="quiet">
        {state === 'sending' || state === 'waiting' ? `${bytesText(sent)} of ${bytesText(file.size)}${rateText} ` : ''}
        {WORDS[state]}
        {message && `: ${message}`}
      </span>
      {isOpen(state) && (
        <button type="button" onClick={() => uploads.cancel(item)}>
          Cancel
        </button>
      )}
      {state === 'exists' && (
        <button type="button" onClick={() => uploads.retry(item)}>
          Replace
        </button>
      )}
      {(state === 'failed' || state === 'cancelled') && (
        <button type="button" onClick={() => uploads.retry(item)}>
          Continue
        </button>
      )}
    </li>
  );
}

/** The file in the view of its directory; of a path that is not UTF-8 the file alone, in the home directory. */
function routeToFile({ path, path_b64 }: Place): string {
  const directory = path.slice(0, path.lastIndexOf('/')) || '/';
  const place = path_b64 === undefined ? { path: directory } : {};
  return routeTo('files', { ...place, file: path, file_b64: path_b64 });
}

function isOpen(state: UploadState): boolean {
  return state === 'queued' || state === 'sending' || state === 'waiting';
}

/** The uploads, drawn anew at most once a frame. */
function useUploads(): readonly UploadItem[] {
  const [, draw] = useState(0);
  useEffect(() => {
    let frame: number | undefined;
    const stop = uploads.subscribe(() => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        draw((count) => count + 1);
      });
    });
    return () => {
      stop();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, []);
  return uploads.items;
}
