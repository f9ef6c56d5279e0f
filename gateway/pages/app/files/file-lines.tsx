import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../parts/panel.tsx';
import { call } from '../sandbox/api.ts';
import { type Place, placeQuery } from './place.ts';

/** Lines that are shown before and after the one that was found. */
const AROUND = 200;

/** The lines of a file around one of them, with their numbers. */
export function FileLines({ file, line }: { readonly file: Place; readonly line: number }): JSX.Element {
  const [lines, setLines] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>();
  const found = useRef<HTMLLIElement>(null);
  const first = Math.max(0, line - 1 - AROUND);
  useEffect(() => {
    const aborter = new AbortController();
    const query = { ...placeQuery(file), start_line: first, end_line: line + AROUND };
    call<{ content: string }>('v2/fs/read', { query, signal: aborter.signal }).then(
      ({ content }) => setLines(content.split('\n')),
      (refused: unknown) => aborter.signal.aborted || setError(refused),
    );
    return () => aborter.abort();
  }, [line]);
  useLayoutEffect(() => found.current?.scrollIntoView({ block: 'center' }), [lines]);
  return (
    <>
      <Problem error={error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
      <div class="text" tabIndex={0} role="document" aria-label="Lines of the file">
        <ol class="lines" start={first + 1}>
          {lines.map((text, index) => {
            const isFound = first + index + 1 === line;
            return (
              <li key={index} ref={isFound ? found : null} class={isFound ? 'found' : ''} value={first + index + 1}>
                {text}
              </li>
            );
          })}
        </ol>
      </div>
    </>
  );
}
