import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem } from '../parts/panel.tsx';
import { call } from '../sandbox/api.ts';
import type { CodeSession } from './cell.ts';

interface SessionBarProps {
  readonly languages: readonly string[];
  readonly language: string;
  readonly onLanguage: (language: string) => void;
  readonly sessions: readonly CodeSession[];
  /** Undefined: a new session. */
  readonly id: string | undefined;
  readonly isBusy: boolean;
  readonly onSession: (id: string | null) => void;
  readonly onChange: () => void;
}

/** Which session the cells are of, and what can be done with it. */
export function SessionBar(props: SessionBarProps): JSX.Element {
  const { languages, language, sessions, id, isBusy, onSession, onChange } = props;
  const [error, setError] = useState<unknown>();
  const path = `v2/code/sessions/${encodeURIComponent(id ?? '')}`;
  const act = (action: Promise<unknown>): void => {
    setError(undefined);
    action.then(onChange, setError);
  };
  const end = (): void => {
    if (!confirm('End the session? Its variables are lost.')) return;
    act(call(path, { method: 'DELETE' }).then(() => onSession(null)));
  };
  const restart = (): void => {
    if (!confirm('Restart the session? Its variables are lost.')) return;
    act(call(`${path}/restart`, { method: 'POST' }));
  };
  return (
    <>
      <div class="bar">
        <label class="check">
          Session
          <select value={id ?? ''} onChange={({ currentTarget }) => onSession(currentTarget.value || null)}>
            <option value="">New session</option>
            {id !== undefined && !sessions.some((one) => one.session_id === id) && <option value={id}>{id}</option>}
            {sessions.map((one) => (
              <option key={one.session_id} value={one.session_id}>
                {one.language} · {one.session_id.slice(0, 24)}
                {one.state === 'busy' ? ' · busy' : ''}
              </option>
            ))}
          </select>
        </label>
        {id === undefined ? (
          <label class="check">
            Language
            <select value={language} onChange={({ currentTarget }) => props.onLanguage(currentTarget.value)}>
              {languages.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        ) : (
          <>
            <button type="button" disabled={!isBusy} onClick={() => act(call(`${path}/interrupt`, { method: 'POST' }))}>
              Interrupt
            </button>
            <button type="button" onClick={restart}>
              Restart
            </button>
            <button type="button" class="danger" onClick={end}>
              End
            </button>
          </>
        )}
      </div>
      <Problem error={error} />
    </>
  );
}
