import type { JSX } from 'preact';
import { FramedPage } from './framed-page.tsx';

/** The page of the terminals. */
export function TerminalView(): JSX.Element {
  return <FramedPage address="terminal/" title="Web shell" allow="clipboard-read; clipboard-write" />;
}
