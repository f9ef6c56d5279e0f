import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { OutputScreen } from '../commands/output-screen.ts';
import type { Shown } from './cell.ts';
import { type TableRow, tableIn } from './html-table.ts';

/** One output of a cell: text, a picture, a table, or its text. */
export function CellOutput({ shown }: { readonly shown: Shown }): JSX.Element {
  return shown.kind === 'text' ? <Text parts={shown.parts} /> : <Rich data={shown.data} />;
}

/** Text with the colours of a terminal, which grows. */
function Text({ parts }: { readonly parts: Extract<Shown, { kind: 'text' }>['parts'] }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const screen = useRef<{ screen: OutputScreen; count: number } | undefined>(undefined);
  useLayoutEffect(() => {
    if (!place.current) return;
    screen.current = { screen: new OutputScreen(place.current), count: 0 };
    return () => screen.current?.screen.close();
  }, []);
  useLayoutEffect(() => {
    const drawn = screen.current;
    if (!drawn) return;
    for (const { stream, text } of parts.slice(drawn.count)) drawn.screen.push(stream, text);
    drawn.count = parts.length;
  });
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
  return <div class="output" ref={place} role="log" aria-label="Output of the cell" aria-live="off" tabIndex={0} />;
}

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/svg+xml'];

function Rich({ data }: { readonly data: Readonly<Record<string, unknown>> }): JSX.Element {
  const kind = PICTURES.find((type) => typeof data[type] === 'string');
  if (kind) return <Picture type={kind} content={String(data[kind])} about={textOf(data)} />;
  const table = typeof data['text/html'] === 'string' ? tableIn(data['text/html']) : undefined;
  return table ? <Table rows={table} /> : <pre class="result">{textOf(data)}</pre>;
}

function textOf(data: Readonly<Record<string, unknown>>): string {
  const text = data['text/plain'] ?? data['text/markdown'] ?? data['application/json'];
  if (typeof text === 'string') return text;
  if (text !== undefined) return JSON.stringify(text, undefined, 2);
  return `A result of ${Object.keys(data).join(', ')}, which this page does not show.`;
}

function Picture(props: { readonly type: string; readonly content: string; readonly about: string }): JSX.Element {
  const { type, content, about } = props;
  const [source, setSource] = useState<string>();
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([type === 'image/svg+xml' ? content : bytesOf(content)], { type }));
    setSource(url);
    return () => URL.revokeObjectURL(url);
  }, [type, content]);
  return <img class="cell-picture" src={source} alt={about === '' ? 'Picture of the cell' : about} />;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64.replaceAll('\n', '')), (character) => character.charCodeAt(0));
}

function Table({ rows }: { readonly rows: readonly TableRow[] }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
    <div class="cell-table" tabIndex={0} role="region" aria-label="Table of the cell">
      <table>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map(({ text, isHead }, column) =>
                isHead ? <th key={column}>{text}</th> : <td key={column}>{text}</td>,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
