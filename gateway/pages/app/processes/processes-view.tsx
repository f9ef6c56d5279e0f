import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { bytesText, countText } from '../parts/format.ts';
import { Problem } from '../parts/panel.tsx';
import { usePolled } from '../parts/use-polled.ts';
import { VirtualGrid } from '../parts/virtual-grid.tsx';
import { type Route, routeTo } from '../route.ts';
import { type Arrangement, arranged, type Row } from './arrange.ts';
import { cpuShares, keyOf, type Snapshot } from './process.ts';
import { ProcessDetail } from './process-detail.tsx';
import { readSnapshot } from './read-snapshot.ts';

const LIST_MS = 3000;
/** Steps to the right that are drawn. */
const DEPTH_MAX = 12;
const COLUMNS: readonly (readonly [className: string, name: string, by: Arrangement | undefined])[] = [
  ['name', 'Process', 'tree'],
  ['owner', 'Owner', undefined],
  ['cpu', 'CPU', 'cpu'],
  ['memory', 'Memory', 'memory'],
];

/** The processes of the sandbox as a tree, with what they use, and a way to end one. */
export function ProcessesView({ route }: { readonly route: Route }): JSX.Element {
  const { data, error, refresh } = usePolled(readSnapshot, 'processes', LIST_MS);
  const shares = useShares(data);
  const [by, setBy] = useState<Arrangement>('tree');
  const [filter, setFilter] = useState('');
  const rows = useMemo(() => arranged(data?.processes ?? [], { by, filter, shares }), [data, by, filter, shares]);
  const shown = route.query.get('process') ?? undefined;
  const current = shown === undefined ? undefined : data?.processes.find((process) => keyOf(process) === shown);
  const isOpen = shown !== undefined && data !== undefined;
  return (
    <>
      <div class="bar">
        <input
          type="search"
          aria-label="Show processes that contain"
          placeholder="Filter processes"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </div>
      <Problem error={error} />
      <div class={`files ${isOpen ? 'with-viewer' : ''}`}>
        <div class="files-list">
          <VirtualGrid<Row>
            items={rows}
            listKey={by}
            label="Processes"
            columns={COLUMNS.length}
            head={<Head by={by} onBy={setBy} />}
            keyOf={({ process }) => keyOf(process)}
            cells={(row) => <Cells row={row} share={shares.get(keyOf(row.process))} />}
            onOpen={({ process }) => show(keyOf(process))}
            onLeave={() => show(undefined)}
          />
          <p class="quiet count" role="status">
            {data === undefined ? 'Reading…' : countText(rows.length, 'process', 'processes')}
            {data && rows.length < data.processes.length && ` of ${data.processes.length.toLocaleString('en')}`}
            {data?.isPart && ', the first ones'}
          </p>
        </div>
        {isOpen && (
          <ProcessDetail
            key={shown}
            process={current}
            share={shares.get(shown)}
            onClose={() => show(undefined)}
            onChange={refresh}
          />
        )}
      </div>
    </>
  );
}

function show(process: string | undefined): void {
  location.hash = routeTo('processes', { process });
}

/** What each process has used between the last two readings. */
function useShares(now: Snapshot | undefined): ReadonlyMap<string, number> {
  const last = useRef<{ readonly of: Snapshot; readonly shares: ReadonlyMap<string, number> } | undefined>(undefined);
  if (now !== undefined && last.current?.of !== now) {
    last.current = { of: now, shares: cpuShares(last.current?.of, now) };
  }
  return last.current?.shares ?? new Map();
}

function Head({ by, onBy }: { readonly by: Arrangement; readonly onBy: (by: Arrangement) => void }): JSX.Element {
  return (
    <div class="grid-head" role="row" aria-rowindex={1}>
      {COLUMNS.map(([className, name, own]) => (
        <div
          key={className}
          class={className}
          role="columnheader"
          aria-sort={own === undefined ? undefined : own !== by ? 'none' : own === 'tree' ? 'other' : 'descending'}
        >
          {own === undefined ? (
            name
          ) : (
            <button type="button" class="plain" onClick={() => onBy(own)}>
              {name}
              <span aria-hidden="true">{own === by && (own === 'tree' ? ' ⊢' : ' ↓')}</span>
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

function Cells({
  row: { process, depth },
  share,
}: {
  readonly row: Row;
  readonly share: number | undefined;
}): JSX.Element {
  const { pid, user, name, command, memory_bytes: memory } = process;
  return (
    <>
      <span class="name" role="gridcell" title={command} style={{ '--depth': Math.min(depth, DEPTH_MAX) }}>
        <bdi>
          <b>{name}</b> <span class="quiet">{pid}</span> <code>{command}</code>
        </bdi>
        {process.protected && <span class="tag">service</span>}
      </span>
      <span class="owner" role="gridcell">
        {user}
      </span>
      <span class="cpu" role="gridcell">
        {share === undefined ? '–' : percentText(share)}
      </span>
      <span class="memory" role="gridcell">
        {bytesText(memory)}
      </span>
    </>
  );
}

/** Of one processor. */
function percentText(share: number): string {
  return `${share < 10 ? share.toFixed(1) : Math.round(share)} %`;
}
