import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { Problem } from '../parts/panel.tsx';
import { addressOf, call } from '../sandbox/api.ts';
import { type Place, placeQuery, within } from './place.ts';
import { uploads } from './upload-queue.ts';

interface FilesBarProps {
  readonly directory: Place;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly showsHidden: boolean;
  readonly onShowsHidden: (shows: boolean) => void;
  readonly onChange: () => void;
}

/** What can be done with a directory. */
export function FilesBar(props: FilesBarProps): JSX.Element {
  const { directory, onChange } = props;
  const [error, setError] = useState<unknown>();
  const [isNaming, setNaming] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const make = (name: string): void => {
    setNaming(false);
    const body = { ...placeQuery(within(directory, name)), parents: false };
    call('v2/fs/mkdir', { method: 'POST', body }).then(onChange, setError);
  };
  return (
    <>
      <div class="bar">
        <input
          type="search"
          aria-label="Show names that contain"
          placeholder="Filter by name"
          value={props.filter}
          onInput={({ currentTarget }) => props.onFilter(currentTarget.value)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={props.showsHidden}
            onChange={({ currentTarget }) => props.onShowsHidden(currentTarget.checked)}
          />
          Hidden
        </label>
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
        <button type="button" onClick={() => setNaming(true)}>
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
      {isNaming && <NameForm onName={make} onCancel={() => setNaming(false)} />}
      <Problem error={error} />
    </>
  );
}

function NameForm(props: { readonly onName: (name: string) => void; readonly onCancel: () => void }): JSX.Element {
  const [name, setName] = useState('');
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
        aria-label="Name of the new folder"
        placeholder="Name of the new folder"
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
