import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { Problem } from '../parts/panel.tsx';
import { addressOf, call, Refusal } from '../sandbox/api.ts';
import { type Place, placeQuery, within } from './place.ts';
import { uploads } from './upload-queue.ts';

interface FilesBarProps {
  readonly directory: Place;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly showsHidden: boolean;
  readonly onShowsHidden: (shows: boolean) => void;
  /** The text that is looked for in the files; undefined: none. */
  readonly find: string | undefined;
  readonly onFind: (text: string | undefined) => void;
  /** A new file. */
  readonly onOpen: (file: Place) => void;
  readonly onChange: () => void;
}

/** What can be done with a directory. */
export function FilesBar(props: FilesBarProps): JSX.Element {
  const { directory, onChange } = props;
  const [error, setError] = useState<unknown>();
  const [named, setNamed] = useState<'file' | 'folder' | undefined>();
  const picker = useRef<HTMLInputElement>(null);
  const make = (name: string): void => {
    setNamed(undefined);
    setError(undefined);
    const place = within(directory, name);
    if (named === 'folder') {
      const body = { ...placeQuery(place), parents: false };
      call('v2/fs/mkdir', { method: 'POST', body }).then(onChange, setError);
      return;
    }
    // Only where no file is.
    const headers = { 'if-none-match': '*' };
    const made = call('v2/fs/write', { method: 'POST', headers, body: { ...placeQuery(place), content: '' } });
    made.then(
      () => {
        onChange();
        props.onOpen(place);
      },
      (refused: unknown) => setError(isThere(refused) ? new Error(`${place.path} exists already`) : refused),
    );
  };
  return (
    <>
      <div class="bar">
        {props.find === undefined && <NameFilter {...props} />}
        <FindForm key={props.find} find={props.find} onFind={props.onFind} />
        <span class="space" />
        <button type="button" class="primary" onClick={() => picker.current?.click()}>
          <Icon name="upload" /> Upload
        </button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={({ currentTarget }) => {
            for (const file of currentTarget.files ?? []) uploads.add(file, directory, file.name);
            currentTarget.value = '';
          }}
        />
        <button type="button" onClick={() => setNamed('file')}>
          <Icon name="plus" /> File
        </button>
        <button type="button" onClick={() => setNamed('folder')}>
          <Icon name="plus" /> Folder
        </button>
        <a
          class="button"
          href={addressOf('v2/fs/tree', placeQuery(directory))}
          download={`${nameOf(directory.path)}.tar`}
        >
          <Icon name="download" /> As tar
        </a>
        <button type="button" class="plain" aria-label="Read the directory again" onClick={onChange}>
          <Icon name="refresh" />
        </button>
      </div>
      {named && <NameForm key={named} kind={named} onName={make} onCancel={() => setNamed(undefined)} />}
      <Problem error={error} />
    </>
  );
}

type NameFilterProps = Pick<FilesBarProps, 'filter' | 'onFilter' | 'showsHidden' | 'onShowsHidden'>;

function NameFilter({ filter, onFilter, showsHidden, onShowsHidden }: NameFilterProps): JSX.Element {
  return (
    <>
      <input
        type="search"
        aria-label="Show names that contain"
        placeholder="Filter by name"
        value={filter}
        onInput={({ currentTarget }) => onFilter(currentTarget.value)}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={showsHidden}
          onChange={({ currentTarget }) => onShowsHidden(currentTarget.checked)}
        />
        Hidden
      </label>
    </>
  );
}

function isThere(refused: unknown): boolean {
  return refused instanceof Refusal && refused.status === 412;
}

/** Looks for a text in the files below the directory. */
function FindForm({ find, onFind }: Pick<FilesBarProps, 'find' | 'onFind'>): JSX.Element {
  const [text, setText] = useState(find ?? '');
  const send = (event: Event): void => {
    event.preventDefault();
    onFind(text === '' ? undefined : text);
  };
  return (
    <form class="find" role="search" onSubmit={send}>
      <input
        type="search"
        aria-label="Find lines in the files below"
        placeholder="Find in files"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit">Find</button>
      {find !== undefined && (
        <button
          type="button"
          onClick={() => {
            setText('');
            onFind(undefined);
          }}
        >
          Back
        </button>
      )}
    </form>
  );
}

interface NameFormProps {
  readonly kind: 'file' | 'folder';
  readonly onName: (name: string) => void;
  readonly onCancel: () => void;
}

function NameForm(props: NameFormProps): JSX.Element {
  const [name, setName] = useState('');
  const label = `Name of the new ${props.kind}`;
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== '') props.onName(name);
      }}
      onKeyDown={({ key }) => key === 'Escape' && props.onCancel()}
    >
      <input
        ref={(input) => input?.focus()}
        aria-label={label}
        placeholder={label}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <button type="submit">Make</button>
      <button type="button" onClick={props.onCancel}>
        Cancel
      </button>
    </form>
  );
}

function nameOf(path: string): string {
  return path.split('/').findLast((name) => name !== '') ?? 'root';
}
