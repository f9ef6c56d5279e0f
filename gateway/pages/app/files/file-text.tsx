import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { bytesText } from '../parts/format.ts';
import { Problem } from '../parts/panel.tsx';
import { call, Refusal } from '../sandbox/api.ts';
import { type Place, placeQuery } from './place.ts';

/** Bytes of a part: what is laid out in one task. */
const PART_BYTES = 64 * 1024;

interface FilePart {
  readonly content: string;
  readonly size: number;
  readonly next_offset: number;
}

/** The text of a file, part by part. */
export function FileText({ file }: { readonly file: Place }): JSX.Element {
  const [parts, setParts] = useState<readonly FilePart[]>([]);
  const [error, setError] = useState<unknown>();
  const last = parts.at(-1);
  const read = (offset: number, signal?: AbortSignal): void => {
    const query = { ...placeQuery(file), offset, length: PART_BYTES };
    call<FilePart>('v2/fs/read', { query, signal }).then(
      (part) => setParts((all) => [...all, part]),
      (refused: unknown) => signal?.aborted || setError(refused),
    );
  };
  useEffect(() => {
    const aborter = new AbortController();
    read(0, aborter.signal);
    return () => aborter.abort();
  }, []);
  if (error instanceof Refusal && error.status === 422) return <NoText />;
  if (parts[0]?.content.includes('\0')) return <NoText />;
  const isMore = last !== undefined && last.next_offset < last.size && last.content !== '';
  return (
    <>
      <Problem error={error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
      <div class="text" tabIndex={0} role="document" aria-label="Content of the file">
        {parts.map(({ content, next_offset: offset }) => (
          <pre key={offset}>{content}</pre>
        ))}
        {last?.size === 0 && <p class="quiet">The file is empty.</p>}
        {isMore && (
          <button type="button" onClick={() => read(last.next_offset)}>
            Show more ({bytesText(last.size - last.next_offset)} left)
          </button>
        )}
      </div>
    </>
  );
}

function NoText(): JSX.Element {
  return <p class="quiet">This file is not text. Download it to see its content.</p>;
}
