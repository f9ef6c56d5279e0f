import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../parts/panel.tsx';
import { call } from '../sandbox/api.ts';
import type { Command } from './command.ts';

interface RunFormProps {
  /** The text that it begins with. */
  readonly draft: string;
  readonly onStarted: (id: string) => void;
}

/** Starts a command. Enter runs it, Shift+Enter begins another line. */
export function RunForm({ draft, onStarted }: RunFormProps): JSX.Element {
  const [text, setText] = useState(draft);
  const field = useRef<HTMLTextAreaElement>(null);
  // Before the next key: Enter runs the draft.
  useLayoutEffect(() => {
    if (draft !== '') field.current?.focus();
  }, []);
  const [directory, setDirectory] = useState('');
  const [error, setError] = useState<unknown>();
  const [isStarting, setStarting] = useState(false);
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (text.trim() === '' || isStarting) return;
    setStarting(true);
    setError(undefined);
    const cwd = directory.trim();
    const body = { command: text, mode: 'async', ...(cwd === '' ? {} : { cwd }) };
    try {
      const { command_id: id } = await call<Command>('v2/commands', { method: 'POST', body });
      setText('');
      onStarted(id);
    } catch (refused) {
      setError(refused);
    }
    setStarting(false);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void run(event);
  };
  return (
    <form class="run" onSubmit={(event) => void run(event)}>
      <label>
        Command
        <textarea
          ref={field}
          rows={Math.min(8, text.split('\n').length)}
          value={text}
          spellcheck={false}
          autocapitalize="off"
          placeholder="make test"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKey}
        />
      </label>
      <label>
        Directory
        <input
          value={directory}
          placeholder="home"
          spellcheck={false}
          onInput={({ currentTarget }) => setDirectory(currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={isStarting || text.trim() === ''}>
        Run
      </button>
      <Problem error={error} />
    </form>
  );
}
