import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem } from '../parts/panel.tsx';
import { cellStore } from './cell-store.ts';

interface CodeFormProps {
  readonly language: string;
  /** Undefined: a new session. */
  readonly sessionId: string | undefined;
  /** Another client runs a cell in the session. */
  readonly isTaken: boolean;
  readonly onRun: (sessionId: string | null) => void;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  python: 'print(6 * 7)',
  javascript: 'console.log(6 * 7)',
  typescript: 'const answer: number = 6 * 7; console.log(answer)',
  bash: 'echo $((6 * 7))',
};

/** A new cell. Shift+Enter or Ctrl+Enter runs it, Enter begins another line. */
export function CodeForm({ language, sessionId, isTaken, onRun }: CodeFormProps): JSX.Element {
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>();
  const [isStarting, setStarting] = useState(false);
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (code.trim() === '' || isStarting || isTaken) return;
    setStarting(true);
    setError(undefined);
    try {
      onRun(await cellStore.run({ language, code, sessionId }));
      setCode('');
    } catch (refused) {
      setError(refused);
    }
    setStarting(false);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.shiftKey || event.ctrlKey || event.metaKey) && !event.isComposing)
      void run(event);
  };
  return (
    <form class="run" onSubmit={(event) => void run(event)}>
      <label>
        New cell in {language}
        <textarea
          rows={Math.max(3, Math.min(12, code.split('\n').length))}
          value={code}
          spellcheck={false}
          autocapitalize="off"
          placeholder={EXAMPLES[language] ?? ''}
          onInput={({ currentTarget }) => setCode(currentTarget.value)}
          onKeyDown={onKey}
        />
      </label>
      <div class="bar">
        <button type="submit" class="primary" disabled={isStarting || isTaken || code.trim() === ''}>
          Run
        </button>
        <span class="quiet">
          {isTaken ? 'Another client runs a cell in this session.' : 'Shift+Enter runs the cell.'}
        </span>
      </div>
      <Problem error={error} />
    </form>
  );
}
