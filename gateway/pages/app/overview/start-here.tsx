import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { CopyButton } from '../parts/copy-button.tsx';
import { Panel } from '../parts/panel.tsx';
import { type Snippet, snippetsFor } from './snippets.ts';

const STORE = 'start-here';

/** The address of the sandbox and a first call in some languages, until the person dismisses it. */
export function StartHere(): JSX.Element {
  const [isShown, setShown] = useState(() => localStorage.getItem(STORE) !== 'dismissed');
  const show = (shown: boolean): void => {
    localStorage.setItem(STORE, shown ? 'shown' : 'dismissed');
    setShown(shown);
  };
  const url = new URL('.', document.baseURI).href.replace(/\/$/, '');
  if (!isShown) {
    return (
      <button type="button" class="plain start-again" onClick={() => show(true)}>
        Start here
      </button>
    );
  }
  const dismiss = (
    <button type="button" class="plain" onClick={() => show(false)}>
      Dismiss
    </button>
  );
  return (
    <Panel title="Start here" className="start-here" actions={dismiss}>
      <p class="copied">
        <code>{url}</code> <CopyButton text={url} what="the address" />
      </p>
      <Tabs snippets={snippetsFor(url)} />
    </Panel>
  );
}

/** Tabs as of the ARIA pattern: arrow keys choose one. */
function Tabs({ snippets }: { readonly snippets: readonly Snippet[] }): JSX.Element {
  const [chosen, choose] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const turn = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = (chosen + step + snippets.length) % snippets.length;
    choose(next);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  const { name = '', text = '', note = '' } = snippets[chosen] ?? {};
  return (
    <>
      <div class="tabs" role="tablist" aria-label="First call" ref={list} onKeyDown={turn}>
        {snippets.map((snippet, place) => (
          <button
            key={snippet.name}
            type="button"
            role="tab"
            id={`snippet-${place}`}
            aria-selected={place === chosen}
            aria-controls="snippet"
            tabIndex={place === chosen ? 0 : -1}
            onClick={() => choose(place)}
          >
            {snippet.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="snippet" aria-labelledby={`snippet-${chosen}`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which the keyboard reaches by focus */}
        <pre tabIndex={0}>{text}</pre>
        <p class="copied">
          <CopyButton key={name} text={text} what={`the snippet for ${name}`} />
        </p>
        <p class="quiet">{note}</p>
      </div>
    </>
  );
}
