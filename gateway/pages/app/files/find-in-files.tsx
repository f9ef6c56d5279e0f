import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { countText } from '../parts/format.ts';
import { Problem } from '../parts/panel.tsx';
import { routeTo } from '../route.ts';
import { call } from '../sandbox/api.ts';
import { type Place, placeQuery } from './place.ts';

/** Matches that are shown. */
const MOST = 500;
/** Characters of a line that are shown. */
const LINE_MAX = 300;

interface Match {
  readonly file: string;
  readonly file_b64?: string;
  readonly line_number: number;
  readonly line_content: string;
}

interface Found {
  readonly matches: readonly Match[];
  readonly files_searched: number | null;
  readonly truncated: boolean;
}

interface FindProps {
  readonly directory: Place;
  /** The text that is looked for. */
  readonly text: string;
}

/** Lines of the files below a directory that contain a text. Each is a link that opens the file at the line. */
export function FindInFiles({ directory, text }: FindProps): JSX.Element {
  const [found, setFound] = useState<Found>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const aborter = new AbortController();
    setFound(undefined);
    setError(undefined);
    const body = {
      ...placeQuery(directory),
      pattern: text,
      fixed_strings: true,
      case_insensitive: true,
      max_results: MOST,
    };
    call<Found>('v2/fs/grep', { method: 'POST', body, signal: aborter.signal }).then(
      setFound,
      (refused: unknown) => aborter.signal.aborted || setError(refused),
    );
    return () => aborter.abort();
  }, [text, directory.path_b64 ?? directory.path]);
  return (
    <div class="files-list">
      <p class="quiet" role="status">
        {found ? summaryOf(found) : error === undefined && 'Searching…'}
      </p>
      <Problem error={error} />
      <ul class="rows" aria-label={`Lines that contain ${text}`}>
        {found?.matches.map((match, index) => (
          <li key={index}>
            <a
              class="row"
              href={routeTo('files', {
                path: directory.path,
                path_b64: directory.path_b64,
                find: text,
                file: match.file,
                file_b64: match.file_b64,
                line: String(match.line_number),
              })}
            >
              <code class="one-line">{match.line_content.trim().slice(0, LINE_MAX)}</code>
              <span class="quiet one-line">
                {below(match.file, directory.path)}:{match.line_number}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function summaryOf({ matches, files_searched: searched, truncated }: Found): string {
  const lines = countText(matches.length, 'line');
  if (truncated) return `The first ${lines}; there are more.`;
  return searched === null ? lines : `${lines} in ${countText(searched, 'file')}`;
}

function below(file: string, directory: string): string {
  const prefix = directory.endsWith('/') ? directory : `${directory}/`;
  return file.startsWith(prefix) ? file.slice(prefix.length) : file;
}
