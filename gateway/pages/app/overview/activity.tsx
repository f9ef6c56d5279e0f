import type { JSX } from 'preact';
import type { Command } from '../commands/command.ts';
import { durationText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { usePolled } from '../parts/use-polled.ts';
import { routeTo, type View } from '../route.ts';
import { call } from '../sandbox/api.ts';

/** Answer of `GET /v2/sandbox/activity`. */
export interface Activity {
  readonly state: 'busy' | 'idle';
  readonly since: string;
  readonly holders: readonly ActivityHolder[];
}

interface ActivityHolder {
  readonly kind: string;
  readonly id: string;
  /** The name of the key that began it; null: it has none. */
  readonly key: string | null;
  readonly since: string;
}

interface HolderProps {
  readonly holder: ActivityHolder;
  /** Texts of commands, by id. */
  readonly commands: ReadonlyMap<string, string>;
}

const VIEWS: Readonly<Record<string, View>> = { terminal: 'terminal', cell: 'code', viewer: 'desktop', tab: 'desktop' };
const NAMES: Readonly<Record<string, string>> = {
  terminal: 'a terminal',
  cell: 'a cell that runs',
  viewer: 'a person at the desktop',
  tab: 'a page of the browser',
  transfer: 'files on the way',
};
/** Kinds whose ids say nothing to a person. */
const UNNAMED = new Set(['cell', 'viewer', 'tab', 'transfer']);
const IS_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const COMMANDS = 100;
const COMMANDS_MS = 5000;

const MOST = 6;

/** Whether the sandbox is in use, and by what. */
export function ActivityPanel({ activity }: { readonly activity: Activity | undefined }): JSX.Element {
  return <Panel title="Activity">{activity ? <Shown activity={activity} /> : <p class="quiet">…</p>}</Panel>;
}

function Shown({ activity: { state, since, holders } }: { readonly activity: Activity }): JSX.Element {
  const commands = useCommands(holders);
  return (
    <>
      <p class="status">
        <span class={`dot ${state === 'busy' ? 'good' : ''}`} />
        {state === 'busy' ? 'In use' : 'Idle'} for {ago(since)}
      </p>
      <ul class="holders">
        {holders.slice(0, MOST).map((holder) => (
          <li key={`${holder.kind} ${holder.id}`}>
            <span class="tag">{holder.kind}</span> <Holder holder={holder} commands={commands} />{' '}
            <span class="quiet">
              {holder.key !== null && `by ${holder.key}, `}
              {ago(holder.since)}
            </span>
          </li>
        ))}
      </ul>
      {holders.length > MOST && <p class="quiet">and {holders.length - MOST} more</p>}
    </>
  );
}

/** What a holder is called, with the way to it. */
function Holder({ holder: { kind, id }, commands }: HolderProps): JSX.Element {
  if (kind === 'command') {
    const text = commands.get(id);
    return (
      <a class="one-line" href={routeTo('commands', { id })} title={text ?? id}>
        {text === undefined ? id : <code>{text.split('\n', 1)[0]}</code>}
      </a>
    );
  }
  const view = VIEWS[kind];
  const name = UNNAMED.has(kind) || IS_UUID.test(id) ? (NAMES[kind] ?? kind) : id;
  return view ? <a href={routeTo(view)}>{name}</a> : <span>{name}</span>;
}

/** The texts of commands, read again when another one runs. */
function useCommands(holders: readonly ActivityHolder[]): ReadonlyMap<string, string> {
  const ids = holders.filter(({ kind }) => kind === 'command').map(({ id }) => id);
  const { data } = usePolled(
    (signal) =>
      ids.length === 0
        ? Promise.resolve({ commands: [] })
        : call<{ commands: readonly Command[] }>('v2/commands', { query: { limit: COMMANDS }, signal }),
    'commands',
    ids.length === 0 ? 0 : COMMANDS_MS,
  );
  return new Map(data?.commands.map(({ command_id: id, command }) => [id, command]));
}

function ago(time: string): string {
  return durationText(Math.max(0, (Date.now() - Date.parse(time)) / 1000));
}
