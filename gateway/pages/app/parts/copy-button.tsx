import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

interface CopyProps {
  readonly text: string;
  /** What is copied, for a screen reader. */
  readonly what?: string;
}

/** Copies a text; says so until the next change. */
export function CopyButton({ text, what }: CopyProps): JSX.Element {
  const [state, setState] = useState<'Copy' | 'Copied' | 'Not copied'>('Copy');
  const copy = (): void => {
    // A page of http:// has a clipboard on loopback only.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    const copied = clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => setState('Copied'),
      () => setState('Not copied'),
    );
  };
  return (
    <button type="button" aria-live="polite" aria-label={what && `${state} ${what}`} onClick={copy}>
      {state}
    </button>
  );
}
