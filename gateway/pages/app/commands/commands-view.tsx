import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { durationText, secondText } from '../parts/format.ts';
import { Empty, Problem } from '../parts/panel.tsx';
import { usePolled } from '../parts/use-polled.ts';
import { type Route, routeTo } from '../route.ts';
import { call } from '../sandbox/api.ts';
import { type Command, endText, isRunning, toneOf } from './command.ts';
import { CommandDetail } from './command-detail.tsx';
import { RunForm } from './run-form.tsx';

const LIST_MS = 2500;
const MOST = 100;

/** Runs commands, lists them, shows the output of one. */
export function CommandsView({ route }: { readonly route: Route }): JSX.Element {
  const { data, error, refresh } = usePolled(
    (signal) => call<{ commands: readonly Command[] }>('v2/commands', { query: { limit: MOST }, signal }),
    'commands',
    LIST_MS,
  );
  const commands = data?.commands ?? [];
  const [filter, setFilter] = useState('');
  const [draft, setDraft] = useState({ text: '', count: 0 });
  const wanted = filter.toLowerCase();
  const shown = commands.filter(({ command }) => command.toLowerCase().includes(wanted));
  const id = route.query.get('id') ?? undefined;
  const current = commands.find(({ command_id: own }) => own === id);
  const onStarted = (started: string): void => {
    location.hash = routeTo('commands', { id: started });
    refresh();
  };
  return (
    <div class="split">
      <div class="side">
        <RunForm key={draft.count} draft={draft.text} onStarted={onStarted} />
        <Problem error={data ? undefined : error} />
        {commands.length > 0 && (
          <input
            type="search"
            aria-label="Show commands that contain"
            placeholder="Filter commands"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        )}
        <ul class="rows" aria-label="Commands, newest first">
          {shown.map((command) => (
            <CommandRow key={command.command_id} command={command} isCurrent={command.command_id === id} />
          ))}
        </ul>
        {commands.length > 0 && shown.length === 0 && <p class="quiet">No command contains “{filter}”.</p>}
        {data && commands.length === 0 && <p class="quiet">No command has run yet.</p>}
      </div>
      {id === undefined ? (
        <Empty title="Run a command">
          <p>Its output appears here while it runs. It keeps running when this page is closed.</p>
        </Empty>
      ) : (
        <CommandDetail
          key={id}
          id={id}
          command={current}
          onChange={refresh}
          onAgain={(text) => setDraft({ text, count: draft.count + 1 })}
        />
      )}
    </div>
  );
}

function CommandRow({ command, isCurrent }: { readonly command: Command; readonly isCurrent: boolean }): JSX.Element {
  const { command_id: id, command: text, started_at: from, ended_at: to } = command;
  const seconds = (Date.parse(to ?? new Date().toISOString()) - Date.parse(from)) / 1000;
  return (
    <li>
      <a class="row" href={routeTo('commands', { id })} aria-current={isCurrent ? 'true' : undefined}>
        <code class="one-line">{text}</code>
        <span class="quiet">
          <span class={`tag ${toneOf(command)}`}>{endText(command)}</span> {secondText(from)}
          {Number.isFinite(seconds) && seconds >= 0 && !isRunning(command) && ` · ${durationText(seconds)}`}
        </span>
      </a>
    </li>
  );
}
