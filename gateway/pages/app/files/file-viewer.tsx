import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { bytesText, timeText } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Problem } from '../parts/panel.tsx';
import { useLink } from '../parts/use-link.ts';
import { usePolled } from '../parts/use-polled.ts';
import { addressOf, call } from '../sandbox/api.ts';
import { editingLimit, FileEditor } from './file-editor.tsx';
import { FileLines } from './file-lines.tsx';
import { FileText } from './file-text.tsx';
import { type Place, placeQuery } from './place.ts';

interface FileStatus {
  readonly size: number;
  readonly modified_time: string;
  readonly permissions: string;
  readonly user?: string | null;
  readonly mime_type?: string | null;
  readonly is_directory: boolean;
  readonly etag?: string | null;
}

interface FileViewerProps {
  readonly file: Place;
  /** From 1 on: the line that is shown, of a search. */
  readonly line: number | undefined;
  readonly onClose: () => void;
  /** The file is at another path, or deleted. */
  readonly onGone: (path?: string) => void;
}

/** A file: its text or picture, and what can be done with it. */
export function FileViewer({ file, line, onClose, onGone }: FileViewerProps): JSX.Element {
  const query = placeQuery(file);
  const status = usePolled((signal) => call<FileStatus>('v2/fs/stat', { query, signal }), file.path, 0);
  const [refused, setRefused] = useState<unknown>();
  const [isEdited, setEdited] = useState(false);
  const head = useRef<HTMLHeadingElement>(null);
  // Before the next key: Escape closes what is shown.
  useLayoutEffect(() => head.current?.focus(), []);
  const remove = (): void => {
    if (!confirm(`Delete ${file.path}?`)) return;
    call('v2/fs/delete', { method: 'POST', body: query }).then(() => onGone(), setRefused);
  };
  const move = (): void => {
    const destination = prompt('New path of the file', file.path);
    if (destination === null || destination === '' || destination === file.path) return;
    const source = file.path_b64 === undefined ? { source: file.path } : { source_b64: file.path_b64 };
    const body = { ...source, destination };
    call('v2/fs/move', { method: 'POST', body }).then(() => onGone(destination), setRefused);
  };
  const download = addressOf('v2/fs/download', query);
  const end = (isChanged: boolean): void => {
    setEdited(false);
    if (isChanged) status.refresh();
  };
  return (
    <section class="viewer" aria-label="File" onKeyDown={({ key }) => key === 'Escape' && onClose()}>
      <header>
        <h2 ref={head} tabIndex={-1}>
          <bdi>{file.path.split('/').at(-1)}</bdi>
        </h2>
        {status.data && !isEdited && <EditButton status={status.data} onEdit={() => setEdited(true)} />}
        <EditorLink path={file.path} />
        <a class="button" href={download} download>
          <Icon name="download" /> Download
        </a>
        <button type="button" onClick={move}>
          Rename
        </button>
        <button type="button" class="plain danger" aria-label="Delete this file" onClick={remove}>
          <Icon name="trash" />
        </button>
        <button type="button" class="plain" aria-label="Close the file" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {status.data && (
        <p class="quiet">
          {[
            bytesText(status.data.size),
            timeText(status.data.modified_time),
            status.data.permissions,
            status.data.user ?? '',
          ]
            .filter((text) => text !== '')
            .join(' · ')}
        </p>
      )}
      <Problem error={status.error ?? refused} />
      {isEdited ? (
        <FileEditor file={file} onEnd={end} />
      ) : (
        status.data && <Content file={file} line={line} status={status.data} download={download} />
      )}
    </section>
  );
}

/** Pictures are not edited here, and neither are long files. */
function EditButton({
  status,
  onEdit,
}: {
  readonly status: FileStatus;
  readonly onEdit: () => void;
}): JSX.Element | null {
  if (isPicture(status)) return null;
  const limit = editingLimit(status.size);
  return (
    <button type="button" disabled={limit !== undefined} title={limit} onClick={onEdit}>
      Edit
    </button>
  );
}

/** The directory in code-server, and notebooks in JupyterLab, if they run. */
function EditorLink({ path }: { readonly path: string }): JSX.Element | null {
  const { applications } = useLink().sandbox;
  const directory = path.slice(0, path.lastIndexOf('/')) || '/';
  if (path.endsWith('.ipynb') && applications.jupyter === 'running') {
    return (
      <a class="button" href="jupyter/lab" target="_blank" rel="noopener">
        JupyterLab
      </a>
    );
  }
  if (applications['code-server'] !== 'running') return null;
  return (
    <a class="button" href={addressOf('code-server/', { folder: directory })} target="_blank" rel="noopener">
      VS Code
    </a>
  );
}

function isPicture({ mime_type: type }: FileStatus): boolean {
  return type?.startsWith('image/') === true;
}

function Content(props: {
  readonly file: Place;
  readonly line: number | undefined;
  readonly status: FileStatus;
  readonly download: string;
}): JSX.Element {
  const { file, line, status, download } = props;
  if (line !== undefined) return <FileLines file={file} line={line} />;
  if (isPicture(status)) {
    // As a picture SVG runs no script and loads nothing.
    return <Picture source={download} path={file.path} />;
  }
  return <FileText file={file} />;
}

function Picture({ source, path }: { readonly source: string; readonly path: string }): JSX.Element {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p class="quiet">The browser cannot show this picture. Download it to see its content.</p>;
  return <img class="viewer-image" src={source} alt={path} onError={() => setBroken(true)} />;
}
