import type { JSX } from 'preact';
import { durationText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { routeTo } from '../route.ts';

/** Answer of `GET /v2/sandbox/activity`. */
export interface Activity {
  readonly state: 'busy' | 'idle';
  readonly since: string;
  readonly holders: readonly { readonly kind: string; readonly id: string; readonly since: string }[];
}

const MOST = 6;

/** Whether the sandbox is in use, and by what. */
export function ActivityPanel({ activity }: { readonly activity: Activity | undefined }): JSX.Element {
  return <Panel title="Activity">{activity ? <Shown activity={activity} /> : <p class="quiet">…</p>}</Panel>;
}

function Shown({ activity: { state, since, holders } }: { readonly activity: Activity }): JSX.Element {
  return (
    <>
      <p class="status">
        <span class={`dot ${state === 'busy' ? 'good' : ''}`} />
        {state === 'busy' ? 'In use' : 'Idle'} for {ago(since)}
      </p>
      <ul class="holders">
        {holders.slice(0, MOST).map(({ kind, id, since: from }) => (
          <li key={`${kind} ${id}`}>
            <span class="tag">{kind}</span> <Holder kind={kind} id={id} /> <span class="quiet">{ago(from)}</span>
          </li>
        ))}
      </ul>
      {holders.length > MOST && <p class="quiet">and {holders.length - MOST} more</p>}
    </>
  );
}

function Holder({ kind, id }: { readonly kind: string; readonly id: string }): JSX.Element {
  if (kind === 'command') return <a href={routeTo('commands', { id })}>{id}</a>;
  return <span>{id}</span>;
}

function ago(time: string): string {
  return durationText(Math.max(0, (Date.now() - Date.parse(time)) / 1000));
}
