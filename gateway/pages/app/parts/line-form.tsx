import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

interface LineFormProps {
  /** Name of the field for a screen reader. */
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  readonly onLine: (line: string) => void;
}

/** A field for one line, which is emptied when it is sent. */
export function LineForm({ label, placeholder, action, onLine }: LineFormProps): JSX.Element {
  const [line, setLine] = useState('');
  const send = (event: Event): void => {
    event.preventDefault();
    onLine(line);
    setLine('');
  };
  return (
    <form class="inline" onSubmit={send}>
      <input
        aria-label={label}
        placeholder={placeholder}
        value={line}
        onInput={({ currentTarget }) => setLine(currentTarget.value)}
      />
      <button type="submit">{action}</button>
    </form>
  );
}
