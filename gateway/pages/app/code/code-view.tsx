import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty, Problem } from '../parts/panel.tsx';
import { usePolled } from '../parts/use-polled.ts';
import { type Route, routeTo } from '../route.ts';
import { call } from '../sandbox/api.ts';
import type { CodeSession } from './cell.ts';
import { CellList } from './cell-list.tsx';
import { cellStore } from './cell-store.ts';
import { CodeForm } from './code-form.tsx';
import { SessionBar } from './session-bar.tsx';

const SESSIONS_MS = 2500;

interface CodeInfo {
  readonly languages: readonly { readonly language: string }[];
}

interface Seen {
  readonly sessions: readonly CodeSession[];
  /** Executions that run, of any client. */
  readonly running: readonly string[];
}

/** Cells in sessions that keep their state; those of other clients are shown while they run. */
export function CodeView({ route }: { readonly route: Route }): JSX.Element {
  const info = usePolled((signal) => call<CodeInfo>('v2/code/info', { signal }), 'info', 0);
  const seen = usePolled(look, 'sessions', SESSIONS_MS);
  const cells = useCells(seen.data?.running ?? []);
  const [wanted, setWanted] = useState<string>();
  const languages = info.data?.languages.map(({ language }) => language) ?? [];
  const id = route.query.get('session') ?? undefined;
  const session = seen.data?.sessions.find(({ session_id: own }) => own === id);
  const ofSession = cells.filter(({ session_id: own }) => own === (id ?? null));
  const first = languages.includes('python') ? 'python' : (languages[0] ?? 'python');
  const language = session?.language ?? ofSession.at(-1)?.language ?? wanted ?? first;
  const isRunning = ofSession.some(({ status }) => status === 'running');
  const isOwn = ofSession.some((cell) => cell.isOwn && cell.status === 'running');
  const show = (sessionId: string | null): void => {
    location.hash = routeTo('code', { session: sessionId ?? undefined });
    seen.refresh();
  };
  return (
    <div class="code">
      <SessionBar
        languages={languages}
        language={language}
        onLanguage={setWanted}
        sessions={seen.data?.sessions ?? []}
        id={id}
        isBusy={isRunning || session?.state === 'busy'}
        onSession={show}
        onChange={seen.refresh}
      />
      <Problem error={info.data ? undefined : info.error} />
      {ofSession.length > 0 ? <CellList cells={ofSession} /> : <Nothing isNew={id === undefined} />}
      <CodeForm
        key={id ?? ''}
        language={language}
        sessionId={id}
        isTaken={session?.state === 'busy' && !isOwn && isRunning}
        onRun={show}
      />
    </div>
  );
}

function Nothing({ isNew }: { readonly isNew: boolean }): JSX.Element {
  if (!isNew)
    return (
      <Empty title="No cell of this session is shown">
        <p>The session keeps its variables. Run a cell to look at them; a cell of an agent appears while it runs.</p>
      </Empty>
    );
  return (
    <Empty title="Run a cell">
      <p>The session keeps variables from cell to cell. Plots, tables and errors appear below the code.</p>
    </Empty>
  );
}

/** The cells of the page, with those that other clients run. */
function useCells(running: readonly string[]): typeof cellStore.cells {
  const [, draw] = useState(0);
  useEffect(() => cellStore.subscribe(() => draw((count) => count + 1)), []);
  useEffect(() => {
    for (const id of running) void cellStore.look(id);
  }, [running.join(' ')]);
  return cellStore.cells;
}

async function look(signal: AbortSignal): Promise<Seen> {
  const [{ sessions }, { holders }] = await Promise.all([
    call<{ sessions: readonly CodeSession[] }>('v2/code/sessions', { signal }),
    call<{ holders: readonly { kind: string; id: string }[] }>('v2/sandbox/activity', { signal }),
  ]);
  return { sessions, running: holders.filter(({ kind }) => kind === 'cell').map(({ id }) => id) };
}
