import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { durationText } from '../parts/format.ts';
import { Problem } from '../parts/panel.tsx';
import { type Cell, missingPackage, shownOf } from './cell.ts';
import { CellOutput } from './cell-output.tsx';
import { cellStore } from './cell-store.ts';

const TONES = { running: 'busy', ok: 'good', error: 'bad', timeout: 'bad', lost: 'bad' } as const;

/** Pixels from the end that count as the end. */
const NEAR_END = 40;

/** The cells of a session, oldest first. It stays at its end while cells and their pictures grow. */
export function CellList({ cells }: { readonly cells: readonly Cell[] }): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const last = useRef({ height: 0, seen: 0 });
  const stay = (isNew: boolean): void => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const { height, seen } = last.current;
    if (isNew || scrollTop + Math.max(seen, clientHeight) > height - NEAR_END) element.scrollTop = scrollHeight;
    last.current = { height: scrollHeight, seen: clientHeight };
  };
  useLayoutEffect(() => stay(true), [cells.length]);
  useEffect(() => {
    if (!list.current || !scroller.current) return;
    const observer = new ResizeObserver(() => stay(false));
    observer.observe(list.current);
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="cells" ref={scroller}>
      <ol aria-label="Cells" ref={list}>
        {cells.map((cell) => (
          <CellItem key={cell.execution_id} cell={cell} />
        ))}
      </ol>
    </div>
  );
}

function CellItem({ cell }: { readonly cell: Cell }): JSX.Element {
  const { status, started_at: from, ended_at: to, isOwn, prompt, fault } = cell;
  const shown = useMemo(() => shownOf(cell.outputs), [cell.outputs]);
  const missing = missingPackage(cell);
  const seconds = to === null ? undefined : (Date.parse(to) - Date.parse(from)) / 1000;
  return (
    <li class="cell">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
      <pre class="cell-code" tabIndex={0}>
        {cell.code}
      </pre>
      <p class="quiet">
        <span class={`tag ${TONES[status]}`}>{status}</span> {cell.language}
        {seconds !== undefined && seconds >= 0 && ` · ${durationText(seconds)}`}
        {!isOwn && ' · of another client'}
      </p>
      {shown.map((one, index) => (
        <CellOutput key={index} shown={one} />
      ))}
      {isOwn && prompt && <Answer id={cell.execution_id} prompt={prompt} />}
      {missing !== undefined && (
        <p class="quiet">
          The package is not installed. A cell installs it: <code>%pip install {missing}</code>
        </p>
      )}
      <Problem error={fault} />
    </li>
  );
}

function Answer(props: { readonly id: string; readonly prompt: NonNullable<Cell['prompt']> }): JSX.Element {
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>();
  const label = props.prompt.text.trim() || 'The cell waits for a line';
  const send = (event: Event): void => {
    event.preventDefault();
    cellStore.answer(props.id, text).catch(setError);
  };
  const field = {
    ref: (input: HTMLInputElement | null): void => input?.focus(),
    autocomplete: 'off',
    'aria-label': label,
    placeholder: label,
    value: text,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => setText(currentTarget.value),
  } as const;
  return (
    <form class="inline" onSubmit={send}>
      {props.prompt.isPassword ? <input {...field} type="password" /> : <input {...field} type="text" />}
      <button type="submit">Send</button>
      <Problem error={error} />
    </form>
  );
}
