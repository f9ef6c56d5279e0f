import type { JSX } from 'preact';
import { Icon } from '../parts/icons.tsx';
import { Panel, Problem } from '../parts/panel.tsx';
import { useLink } from '../parts/use-link.ts';
import { usePolled } from '../parts/use-polled.ts';
import { call } from '../sandbox/api.ts';
import type { Capabilities, Check } from './facts.ts';
import { type Part, partsOf } from './ways-to-get.ts';

const READ_MS = 15_000;

/** What the sandbox has, what is missing, and how to get it. */
export function CapabilitiesView(): JSX.Element {
  const { sandbox } = useLink();
  const { data, error, refresh } = usePolled(
    (signal) => call<Capabilities>('v1/capabilities', { signal }),
    'all',
    READ_MS,
  );
  if (!data) return error === undefined ? <p class="quiet">Looking…</p> : <Problem error={error} />;
  const parts = partsOf(data, sandbox);
  return (
    <div class="stack">
      <p>
        <button type="button" onClick={() => void lookAgain().then(refresh, refresh)}>
          <Icon name="refresh" /> Look again
        </button>
      </p>
      <Parts title="Missing" parts={parts.filter(({ has }) => !has)} />
      <Parts title="Available" parts={parts.filter(({ has }) => has)} />
      <Checks checks={data.checks ?? []} />
    </div>
  );
}

/** What it finds is kept for the next reading. */
function lookAgain(): Promise<unknown> {
  return call('v1/capabilities', { query: { refresh: true } });
}

function Parts({ title, parts }: { readonly title: string; readonly parts: readonly Part[] }): JSX.Element | null {
  if (parts.length === 0) return null;
  return (
    <Panel title={title}>
      <ul class="parts">
        {parts.map(({ name, about, has, detail, obtain }) => (
          <li key={name}>
            <span class={`dot ${has ? 'good' : ''}`} />
            <div>
              <h3>
                {name} <span class="quiet">{about}</span>
              </h3>
              {has ? detail && <p class="quiet">{detail}</p> : obtain.map((way) => <p key={way}>{way}</p>)}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Checks({ checks }: { readonly checks: readonly Check[] }): JSX.Element | null {
  if (checks.length === 0) return null;
  return (
    <Panel title="Checks">
      <ul class="parts">
        {checks.map(({ name, ok, required, detail, hint }, index) => (
          <li key={`${name} ${index}`}>
            <span class={`dot ${ok ? 'good' : required ? 'bad' : 'warn'}`} />
            <div>
              <h3>
                {name} <span class="quiet">{ok ? 'passed' : required ? 'failed' : 'not there, optional'}</span>
              </h3>
              <p class="quiet">{detail}</p>
              {!ok && hint && <p>{hint}</p>}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
