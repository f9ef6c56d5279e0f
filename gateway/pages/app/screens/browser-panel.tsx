import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { GET_BROWSER } from '../capabilities/ways-to-get.ts';
import { Icon } from '../parts/icons.tsx';
import { LineForm } from '../parts/line-form.tsx';
import { Panel, Problem } from '../parts/panel.tsx';
import { usePolled } from '../parts/use-polled.ts';
import { addressOf, call, Refusal, request } from '../sandbox/api.ts';
import { typedAddress } from './typed-address.ts';

const TABS_MS = 4000;

interface Tab {
  readonly tab_id: string;
  readonly title: string;
  readonly url: string;
  readonly active: boolean;
}

/** The tabs of the browser: open, show, close. Without a display a picture of the page that is shown. */
export function BrowserPanel({ hasDisplay }: { readonly hasDisplay: boolean }): JSX.Element {
  const tabs = usePolled((signal) => call<readonly Tab[]>('v2/browser/tabs', { signal }), 'tabs', TABS_MS);
  const [error, setError] = useState<unknown>();
  const act = (change: () => Promise<unknown>): void => {
    setError(undefined);
    change().then(tabs.refresh, setError);
  };
  const open = (url: string): void => act(() => call('v2/browser/tabs', { method: 'POST', body: { url } }));
  if (!tabs.data) return <NoBrowser error={tabs.error} onStarted={tabs.refresh} />;
  return (
    <Panel title="Browser" className="browser">
      <LineForm
        label="Address to open in the browser of the sandbox"
        placeholder="https://…"
        action="Open"
        onLine={(line) => line.trim() !== '' && open(typedAddress(line))}
      />
      <Problem error={error} />
      <ul class="tabs">
        {tabs.data.map((tab) => (
          <TabRow
            key={tab.tab_id}
            tab={tab}
            onShow={() =>
              act(() => call(`v2/browser/tabs/${encodeURIComponent(tab.tab_id)}/activate`, { method: 'POST' }))
            }
            onClose={() => act(() => call(`v2/browser/tabs/${encodeURIComponent(tab.tab_id)}`, { method: 'DELETE' }))}
          />
        ))}
      </ul>
      {!hasDisplay && tabs.data.length > 0 && <Picture />}
    </Panel>
  );
}

function TabRow(props: { readonly tab: Tab; readonly onShow: () => void; readonly onClose: () => void }): JSX.Element {
  const { title, url, active } = props.tab;
  return (
    <li class={active ? 'current' : ''}>
      <button type="button" class="tab" onClick={props.onShow} aria-current={active ? 'true' : undefined}>
        <strong>{title || 'Untitled'}</strong>
        <span class="quiet">{url}</span>
      </button>
      <button type="button" class="plain" aria-label={`Close ${title || url}`} onClick={props.onClose}>
        <Icon name="close" />
      </button>
    </li>
  );
}

function NoBrowser(props: { readonly error: unknown; readonly onStarted: () => void }): JSX.Element {
  const [error, setError] = useState<unknown>();
  const [isStarting, setStarting] = useState(false);
  const start = (): void => {
    setStarting(true);
    call('v2/browser/start', { method: 'POST' })
      .then(props.onStarted, setError)
      .finally(() => setStarting(false));
  };
  if (props.error === undefined)
    return (
      <Panel title="Browser">
        <p class="quiet">Looking…</p>
      </Panel>
    );
  return (
    <Panel title="Browser" className="browser">
      <p>No browser runs in this sandbox.</p>
      <p>
        <button type="button" disabled={isStarting} onClick={start}>
          {isStarting ? 'Starting…' : 'Start the browser'}
        </button>
      </p>
      {error !== undefined &&
        GET_BROWSER.map((way) => (
          <p key={way} class="quiet">
            {way}
          </p>
        ))}
      <Problem error={error ?? (props.error instanceof Refusal ? undefined : props.error)} />
    </Panel>
  );
}

/** A picture of the page, taken on demand. */
function Picture(): JSX.Element {
  const [source, setSource] = useState<string>();
  const [error, setError] = useState<unknown>();
  const take = async (): Promise<void> => {
    const answer = await request(addressOf('v2/browser/screenshot', { target: 'page', format: 'jpeg' }), {});
    if (source) URL.revokeObjectURL(source);
    setSource(URL.createObjectURL(await answer.blob()));
  };
  return (
    <div class="picture">
      <p>
        <button type="button" onClick={() => void take().catch(setError)}>
          {source ? 'Take the picture again' : 'Take a picture of the page'}
        </button>
      </p>
      <Problem error={error} />
      {source && <img src={source} alt="The page that the browser shows" />}
    </div>
  );
}
