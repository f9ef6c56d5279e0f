import type { JSX } from 'preact';
import { Icon } from '../parts/icons.tsx';

/** The page of the terminals, in a frame. */
export function TerminalView(): JSX.Element {
  return (
    <div class="screen">
      <p class="screen-bar">
        <a href="terminal/" target="_blank" rel="noopener">
          <Icon name="open" /> In its own tab
        </a>
      </p>
      <iframe src="terminal/" title="Web shell" allow="clipboard-read; clipboard-write" />
    </div>
  );
}
