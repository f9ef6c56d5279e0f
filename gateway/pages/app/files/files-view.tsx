import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { SandboxFacts } from '../capabilities/facts.ts';
import { bytesText, countText, timeText } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Problem } from '../parts/panel.tsx';
import { usePolled } from '../parts/use-polled.ts';
import { VirtualGrid } from '../parts/virtual-grid.tsx';
import { type Route, routeTo } from '../route.ts';
import { call } from '../sandbox/api.ts';
import { DropPlace } from './drop-place.tsx';
import { FileViewer } from './file-viewer.tsx';
import { FilesBar } from './files-bar.tsx';
import { FindInFiles } from './find-in-files.tsx';
import { useListing } from './listing.ts';
import { arranged, type Column, type Order } from './order.ts';
import { ancestorsOf, type Entry, type Place } from './place.ts';

const COLUMNS: readonly (readonly [Column, string])[] = [
  ['name', 'Name'],
  ['size', 'Size'],
  ['modified_time', 'Modified'],
];

/** Directories and files: a list, a viewer, uploads, downloads. */
export function FilesView({ route }: { readonly route: Route }): JSX.Element {
  const place = usePlace(route);
  const shown = placeOf(route, 'file');
  const find = route.query.get('find') || undefined;
  const listing = useListing(place);
  const [order, setOrder] = useState<Order>({ column: 'name', isDescending: false });
  const [filter, setFilter] = useFilter(place);
  const [showsHidden, setShowsHidden] = useState(true);
  const entries = useMemo(
    () => arranged(listing.entries, order, { filter, showsHidden }),
    [listing.entries, order, filter, showsHidden],
  );
  if (!place) return <p class="quiet">Looking for the home directory…</p>;
  return (
    <DropPlace directory={place}>
      <Path path={place.path} />
      <FilesBar
        directory={place}
        filter={filter}
        onFilter={setFilter}
        showsHidden={showsHidden}
        onShowsHidden={setShowsHidden}
        find={find}
        onFind={(text) => openDirectory(place, text)}
        onOpen={(made) => open({ ...made, is_directory: false }, place)}
        onChange={listing.refresh}
      />
      <Problem error={listing.error} />
      <div class={`files ${shown ? 'with-viewer' : ''}`}>
        {find === undefined ? (
          <div class="files-list">
            <VirtualGrid<Entry>
              items={entries}
              listKey={place.path_b64 ?? place.path}
              label={`Files in ${place.path}`}
              columns={COLUMNS.length}
              head={<Head order={order} onOrder={setOrder} />}
              keyOf={(entry) => entry.path_b64 ?? entry.path}
              cells={(entry) => <Cells entry={entry} />}
              onOpen={(entry) => open(entry, place)}
              onLeave={() => leave(place)}
            />
            <p class="quiet count" role="status">
              {countText(entries.length, 'entry', 'entries')}
              {entries.length < listing.entries.length && ` of ${listing.entries.length.toLocaleString('en')}`}
              {!listing.isComplete && ', reading…'}
            </p>
          </div>
        ) : (
          <FindInFiles directory={place} text={find} />
        )}
        {shown && (
          <FileViewer
            key={shown.path_b64 ?? shown.path}
            file={shown}
            line={lineOf(route)}
            onClose={() => openDirectory(place, find)}
            onGone={(path) => {
              if (path === undefined) openDirectory(place);
              else open({ path, is_directory: false }, place);
              listing.refresh();
            }}
          />
        )}
      </div>
    </DropPlace>
  );
}

/** A filter is for one directory. */
function useFilter(place: Place | undefined): [string, (filter: string) => void] {
  const [filter, setFilter] = useState('');
  useLayoutEffect(() => setFilter(''), [place?.path_b64 ?? place?.path]);
  return [filter, setFilter];
}

/** The directory of the route, else the home of the account. */
function usePlace(route: Route): Place | undefined {
  const named = placeOf(route, 'path');
  const facts = usePolled(
    (signal) => (named ? Promise.resolve(undefined) : call<SandboxFacts>('v2/sandbox', { signal })),
    named ? 'named' : 'home',
    0,
  );
  const home = facts.data?.home_dir ?? (facts.error === undefined ? undefined : '/');
  return named ?? (home === undefined ? undefined : { path: home });
}

function placeOf({ query }: Route, name: 'path' | 'file'): Place | undefined {
  const path = query.get(name);
  const base64 = query.get(`${name}_b64`);
  if (path === null && base64 === null) return undefined;
  return { path: path ?? '', ...(base64 === null ? {} : { path_b64: base64 }) };
}

/** From 1 on; undefined: the file is shown from its beginning. */
function lineOf({ query }: Route): number | undefined {
  const line = Number(query.get('line'));
  return Number.isSafeInteger(line) && line > 0 ? line : undefined;
}

/** @param find the text that is looked for in its files; undefined: its entries are listed */
function openDirectory({ path, path_b64 }: Place, find?: string): void {
  location.hash = routeTo('files', { path, path_b64, find });
}

function open(entry: Place & Pick<Entry, 'is_directory'>, { path, path_b64 }: Place): void {
  if (entry.is_directory) openDirectory(entry);
  else location.hash = routeTo('files', { path, path_b64, file: entry.path, file_b64: entry.path_b64 });
}

function leave({ path }: Place): void {
  const above = ancestorsOf(path).at(-2);
  if (above) openDirectory(above);
}

function Path({ path }: { readonly path: string }): JSX.Element {
  const all = ancestorsOf(path);
  return (
    <nav class="path" aria-label="Directory">
      <ol>
        {all.map(({ name, path: own }, index) => (
          <li key={own}>
            <a href={routeTo('files', { path: own })} aria-current={index === all.length - 1 ? 'location' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Head({ order, onOrder }: { readonly order: Order; readonly onOrder: (order: Order) => void }): JSX.Element {
  return (
    <div class="grid-head" role="row" aria-rowindex={1}>
      {COLUMNS.map(([column, name]) => {
        const isOwn = order.column === column;
        const sort = isOwn ? (order.isDescending ? 'descending' : 'ascending') : 'none';
        return (
          <div key={column} class={column} role="columnheader" aria-sort={sort}>
            <button
              type="button"
              class="plain"
              onClick={() => onOrder({ column, isDescending: isOwn && !order.isDescending })}
            >
              {name}
              <span aria-hidden="true">{isOwn ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
            </button>
          </div>
        );
      })}
    </div>
  );
}

function Cells({ entry }: { readonly entry: Entry }): JSX.Element {
  const { name, is_directory: isDirectory, is_symlink: isLink, size, modified_time: time, permissions } = entry;
  return (
    <>
      <span class={`name ${isDirectory ? 'folder' : ''}`} role="gridcell" title={name}>
        <Icon name={isDirectory ? 'folder' : 'file'} />
        <bdi>{name}</bdi>
        {isLink && <span class="tag">link</span>}
      </span>
      <span class="size" role="gridcell">
        {isDirectory ? '–' : bytesText(size)}
      </span>
      <span class="modified_time" role="gridcell" title={permissions}>
        {timeText(time)}
      </span>
    </>
  );
}
