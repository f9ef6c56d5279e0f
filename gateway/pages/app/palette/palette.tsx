import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { routeTo, VIEWS, type View } from '../route.ts';

/** A list of the views that Ctrl-K opens: typing filters it, arrow keys and Enter choose. */
export function Palette({ names }: { readonly names: Readonly<Record<View, string>> }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const found = VIEWS.filter((view) => names[view].toLowerCase().includes(text.trim().toLowerCase()));
  const open = (): void => {
    setText('');
    setActive(0);
    if (dialog.current?.open === false) dialog.current.showModal();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!opensPalette(event)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const go = (view: View | undefined): void => {
    if (view === undefined) return;
    dialog.current?.close();
    location.hash = routeTo(view);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && found.length > 0) setActive((active + step + found.length) % found.length);
    else if (event.key === 'Enter') go(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <button type="button" class="plain palette-open" onClick={open}>
        Go to… <kbd>Ctrl K</kbd>
      </button>
      <dialog ref={dialog} class="palette" aria-label="Go to a view">
        <input
          role="combobox"
          aria-label="View"
          aria-expanded="true"
          aria-controls="palette-views"
          aria-activedescendant={found[active] && `palette-${found[active]}`}
          placeholder="Go to…"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKey}
        />
        <div id="palette-views" role="listbox" aria-label="Views">
          {found.map((view, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <div
              key={view}
              id={`palette-${view}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              onClick={() => go(view)}
            >
              {names[view]}
            </div>
          ))}
        </div>
        {found.length === 0 && <p class="quiet">No view is called so.</p>}
      </dialog>
    </>
  );
}

function opensPalette({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;
}
