import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rowRange } from './row-range.ts';

interface VirtualGridProps<T> {
  readonly items: readonly T[];
  readonly label: string;
  /** The columns' headings, a row. */
  readonly head: ComponentChildren;
  readonly columns: number;
  readonly keyOf: (item: T) => string;
  /** The cells of a row, each with the role `gridcell`. */
  readonly cells: (item: T) => ComponentChildren;
  readonly onOpen: (item: T) => void;
  readonly onLeave: () => void;
  /** Another list begins at its top. */
  readonly listKey: string;
}

const PAGE_ROWS = 20;

/** A list of any length with the rows in the document that can be seen. Arrow keys, Home, End and Enter work on it. */
export function VirtualGrid<T>(props: VirtualGridProps<T>): JSX.Element {
  const { items, listKey, keyOf, onOpen } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, rowHeight: 36 });
  const [active, setActive] = useState(0);
  const look = (): void => {
    const element = scroller.current;
    if (!element) return;
    const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || 36;
    const top = Math.floor(element.scrollTop / rowHeight) * rowHeight;
    const height = element.clientHeight;
    setView((last) =>
      last.top === top && last.height === height && last.rowHeight === rowHeight ? last : { top, height, rowHeight },
    );
  };
  useLayoutEffect(() => {
    setActive(0);
    if (scroller.current) scroller.current.scrollTop = 0;
    look();
  }, [listKey]);
  useEffect(() => {
    if (!scroller.current) return;
    const observer = new ResizeObserver(look);
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, []);
  const { first, end } = rowRange(items.length, view);
  const move = (index: number): void => {
    const next = Math.max(0, Math.min(items.length - 1, index));
    setActive(next);
    reveal(scroller.current, next, view.rowHeight);
  };
  const onKey = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, active, items.length);
    const item = items[active];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' && item !== undefined) onOpen(item);
    else if (event.key === 'Backspace') props.onLeave();
    else return;
    event.preventDefault();
  };
  const isActiveShown = active >= first && active < end;
  return (
    <div
      class="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={items.length + 1}
      aria-colcount={props.columns}
      aria-activedescendant={isActiveShown && items.length > 0 ? `row-${active}` : undefined}
      tabIndex={0}
      ref={scroller}
      onScroll={look}
      onKeyDown={onKey}
    >
      {props.head}
      <div class="grid-all" role="rowgroup" style={{ height: `${items.length * view.rowHeight}px` }}>
        {items.slice(first, end).map((item, offset) => {
          const index = first + offset;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
            <div
              key={keyOf(item)}
              id={`row-${index}`}
              class={`grid-row ${index === active ? 'active' : ''}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={index === active}
              style={{ transform: `translateY(${index * view.rowHeight}px)` }}
              onClick={() => {
                setActive(index);
                onOpen(item);
              }}
            >
              {props.cells(item)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function targetOf(key: string, from: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return from + 1;
    case 'ArrowUp':
      return from - 1;
    case 'PageDown':
      return from + PAGE_ROWS;
    case 'PageUp':
      return from - PAGE_ROWS;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

/** Scrolls a row into view. The headings stay at the top, so they cover nothing but themselves. */
function reveal(element: HTMLElement | null, index: number, rowHeight: number): void {
  if (!element) return;
  const top = index * rowHeight;
  const headings = element.firstElementChild?.clientHeight ?? 0;
  const end = top + rowHeight + headings;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight;
}
