import type { JSX } from 'preact';
import { type Check, checksOf, type SandboxFacts } from '../capabilities/facts.ts';
import { countText, durationText } from '../parts/format.ts';
import { Panel, Problem } from '../parts/panel.tsx';
import { useLink } from '../parts/use-link.ts';
import { usePolled } from '../parts/use-polled.ts';
import { routeTo } from '../route.ts';
import { call } from '../sandbox/api.ts';
import type { LinkState } from '../sandbox/link.ts';
import { type Activity, ActivityPanel } from './activity.tsx';
import { Meters } from './meters.tsx';
import { StartHere } from './start-here.tsx';
import { OpenPanel, PortsPanel } from './ways.tsx';

const FACTS_MS = 30_000;
const ACTIVITY_MS = 5000;

/** How the sandbox is, what runs in it, and where to go from here. */
export function OverviewView(): JSX.Element {
  const { sandbox } = useLink();
  const facts = usePolled((signal) => call<SandboxFacts>('v2/sandbox', { signal }), 'facts', FACTS_MS);
  const activity = usePolled((signal) => call<Activity>('v2/sandbox/activity', { signal }), 'activity', ACTIVITY_MS);
  return (
    <div class="cards">
      <StartHere />
      <StatusPanel facts={facts.data} />
      <Meters resources={sandbox.resources} />
      <ActivityPanel activity={activity.data} />
      <OpenPanel />
      <PortsPanel ports={sandbox.ports} />
      <Panel title="API">
        <ul class="links">
          <li>
            <a href="v2/openapi.json">API v2 (OpenAPI)</a>
          </li>
          <li>
            <a href="v1/openapi.json">API v1 (OpenAPI)</a>
          </li>
          <li>
            <a href="docs">Explorer</a>
          </li>
          <li>
            <a href="v2/guide">Guide for agents</a>
          </li>
          <li>
            <a href="metrics">Metrics</a>
          </li>
        </ul>
      </Panel>
      <Problem error={facts.data ? undefined : facts.error} />
    </div>
  );
}

const TONES: Partial<Record<LinkState, string>> = { away: 'bad', refused: 'warn' };
const WORDS: Partial<Record<LinkState, string>> = { away: 'not reachable', refused: 'the key is not accepted' };

function StatusPanel({ facts }: { readonly facts: SandboxFacts | undefined }): JSX.Element {
  const { sandbox, state } = useLink();
  const { daemon, version } = sandbox;
  const failed = facts ? checksOf(facts).filter((check) => !check.ok) : [];
  return (
    <Panel title="Status">
      <p class="status">
        <span class={`dot ${TONES[state] ?? (failed.some(({ required }) => required) ? 'warn' : 'good')}`} />
        {WORDS[state] ?? daemon.status}
      </p>
      <dl class="facts">
        <dt>Daemon</dt>
        <dd>version {daemon.version}</dd>
        <dt>Gateway</dt>
        <dd>version {version}</dd>
        {daemon.uptime_seconds !== null && (
          <>
            <dt>Up</dt>
            <dd>{durationText(daemon.uptime_seconds)}</dd>
          </>
        )}
        {facts && <Facts facts={facts} />}
      </dl>
      {failed.length > 0 && <FailedChecks failed={failed} />}
    </Panel>
  );
}

function Facts({ facts }: { readonly facts: SandboxFacts }): JSX.Element {
  return (
    <>
      <dt>Host</dt>
      <dd>{facts.hostname}</dd>
      <dt>System</dt>
      <dd>
        {facts.os}, {facts.arch}
      </dd>
      <dt>Account</dt>
      <dd>
        {facts.user}, <a href={routeTo('files', { path: facts.home_dir })}>{facts.home_dir}</a>
      </dd>
      <dt>Time zone</dt>
      <dd>{facts.timezone}</dd>
    </>
  );
}

function FailedChecks({ failed }: { readonly failed: readonly Check[] }): JSX.Element {
  return (
    <p class="quiet">
      <a href={routeTo('capabilities')}>{countText(failed.length, 'check')} not passed</a>:{' '}
      {failed.map(({ name }) => name).join(', ')}
    </p>
  );
}
