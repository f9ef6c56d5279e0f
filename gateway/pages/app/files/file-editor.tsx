import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { bytesText } from '../parts/format.ts';
import { Problem } from '../parts/panel.tsx';
import { call, Refusal } from '../sandbox/api.ts';
import { type Place, placeQuery } from './place.ts';

/** Bytes of a file that is edited here: what a field of the browser handles well. */
const EDITED_BYTES_MAX = 1024 ** 2;

interface Read {
  readonly content: string;
  readonly etag: string;
}

interface EditorProps {
  readonly file: Place;
  /** Called with whether the file has changed. */
  readonly onEnd: (isChanged: boolean) => void;
}

/** A text file in a field. It is saved on condition that it is the file that was read; Ctrl+S saves. */
export function FileEditor({ file, onEnd }: EditorProps): JSX.Element {
  const [read, setRead] = useState<Read>();
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>();
  const [state, setState] = useState<'open' | 'saving' | 'saved' | 'conflict'>('open');
  const saves = useRef(0);
  const isChanged = read !== undefined && text !== shownText(read.content);
  useLeaveWarning(isChanged);
  const load = (): void => {
    setError(undefined);
    const query = { ...placeQuery(file), offset: 0, length: EDITED_BYTES_MAX };
    call<Read>('v2/fs/read', { query }).then((answer) => {
      setRead(answer);
      setText(shownText(answer.content));
      setState('open');
    }, setError);
  };
  useEffect(load, []);
  const save = async (replaces: boolean): Promise<void> => {
    if (!read || state === 'saving') return;
    setState('saving');
    setError(undefined);
    const content = withEndings(text, read.content);
    const body = { ...placeQuery(file), content, ...(replaces ? {} : { if_match: read.etag }) };
    try {
      const { etag } = await call<{ etag: string }>('v2/fs/write', { method: 'POST', body });
      saves.current += 1;
      setRead({ content, etag });
      setState('saved');
    } catch (refused) {
      const isConflict = refused instanceof Refusal && (refused.status === 409 || refused.status === 412);
      setState(isConflict ? 'conflict' : 'open');
      if (!isConflict) setError(refused);
    }
  };
  const end = (): void => {
    if (!isChanged || confirm('Discard the changes?')) onEnd(saves.current > 0);
  };
  const onKey = (event: KeyboardEvent): void => {
    // Escape closes the file only where nothing is edited.
    if (event.key === 'Escape') event.stopPropagation();
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void save(false);
  };
  if (read && hasMixedEndings(read.content))
    return (
      <p class="quiet">The lines of this file end in different ways, which a field of the browser does not keep.</p>
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button Save does the same
    <div class="editor" onKeyDown={onKey}>
      <textarea
        ref={(field) =>
          void (read && saves.current === 0 && document.activeElement === document.body && field?.focus())
        }
        aria-label="Text of the file"
        spellcheck={false}
        autocapitalize="off"
        disabled={!read}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {state === 'conflict' && <Conflict onReplace={() => void save(true)} onLoad={load} />}
      <Problem error={error} />
      <div class="bar">
        <button
          type="button"
          class="primary"
          disabled={!isChanged || state === 'saving'}
          onClick={() => void save(false)}
        >
          Save
        </button>
        <button type="button" onClick={end}>
          {isChanged ? 'Discard' : 'Done'}
        </button>
        <span class="quiet" role="status">
          {isChanged ? 'Not saved. Ctrl+S saves.' : state === 'saved' ? 'Saved.' : ''}
        </span>
      </div>
    </div>
  );
}

function Conflict(props: { readonly onReplace: () => void; readonly onLoad: () => void }): JSX.Element {
  return (
    <div class="problem" role="alert">
      <p>Another program has changed the file since it was opened here. Nothing was saved.</p>
      <p class="bar">
        <button type="button" class="danger" onClick={props.onReplace}>
          Replace it with this text
        </button>
        <button type="button" onClick={props.onLoad}>
          Load the changed file
        </button>
      </p>
    </div>
  );
}

/** The browser asks before it leaves the page. */
function useLeaveWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isChanged]);
}

/** Why a file of this size is not edited here; undefined if it is. */
export function editingLimit(size: number): string | undefined {
  return size > EDITED_BYTES_MAX ? `Files of up to ${bytesText(EDITED_BYTES_MAX)} are edited here` : undefined;
}

/** A field has line feeds only. */
function shownText(content: string): string {
  return content.replaceAll('\r\n', '\n');
}

function withEndings(text: string, before: string): string {
  return before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

function hasMixedEndings(content: string): boolean {
  const rest = content.replaceAll('\r\n', '');
  return rest.includes('\r') || (content.includes('\r\n') && rest.includes('\n'));
}
