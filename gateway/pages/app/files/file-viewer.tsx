import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { bytesText, timeText } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Problem } from '../parts/panel.tsx';
import { useLink } from '../parts/use-link.ts';
import { usePolled } from '../parts/use-polled.ts';
import { addressOf, call } from '../sandbox/api.ts';
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
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** A file: its text or picture, and what can be done with it. */
export function FileViewer({ file, onClose, onDeleted }: FileViewerProps): JSX.Element {
  const query = placeQuery(file);
  const { data: status, error } = usePolled(
    (signal) => call<FileStatus>('v2/fs/stat', { query, signal }),
    file.path,
    0,
  );
  const [refused, setRefused] = useState<unknown>();
  const head = useRef<HTMLHeadingElement>(null);
  // Before the next key: Escape closes what is shown.
  useLayoutEffect(() => head.current?.focus(), []);
  const remove = (): void => {
    if (!confirm(`Delete ${file.path}?`)) return;
    call('v2/fs/delete', { method: 'POST', body: query }).then(onDeleted, setRefused);
  };
  const download = addressOf('v2/fs/download', query);
  return (
    <section class="viewer" aria-label="File" onKeyDown={({ key }) => key === 'Escape' && onClose()}>
      <header>
        <h2 ref={head} tabIndex={-1}>
          <bdi>{file.path.split('/').at(-1)}</bdi>
        </h2>
        <EditLink path={file.path} />
        <a class="button" href={download} download>
          <Icon name="download" /> Download
        </a>
        <button type="button" class="plain danger" aria-label="Delete this file" onClick={remove}>
          <Icon name="trash" />
        </button>
        <button type="button" class="plain" aria-label="Close the file" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {status && (
        <p class="quiet">
          {[bytesText(status.size), timeText(status.modified_time), status.permissions, status.user ?? '']
            .filter((text) => text !== '')
            .join(' · ')}
        </p>
      )}
      <Problem error={error ?? refused} />
      {status && <Content file={file} status={status} download={download} />}
    </section>
  );
}

/** Editing is code-server's, notebooks are JupyterLab's, where they run. */
function EditLink({ path }: { readonly path: string }): JSX.Element | null {
  const { applications } = useLink().sandbox;
  const directory = path.slice(0, path.lastIndexOf('/')) || '/';
  if (path.endsWith('.ipynb') && applications.jupyter === 'running') {
    return (
      <a class="button" href="jupyter/lab">
        JupyterLab
      </a>
    );
  }
  if (applications['code-server'] !== 'running') return null;
  return (
    <a class="button" href={addressOf('code-server/', { folder: directory })}>
      Edit
    </a>
  );
}

function Content(props: { readonly file: Place; readonly status: FileStatus; readonly download: string }): JSX.Element {
  const { file, status, download } = props;
  if (status.mime_type?.startsWith('image/')) {
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
