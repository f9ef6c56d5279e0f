import type { JSX } from 'preact';
import { GET_DESKTOP } from '../capabilities/ways-to-get.ts';
import { Empty } from '../parts/panel.tsx';
import { useLink } from '../parts/use-link.ts';
import { BrowserPanel } from './browser-panel.tsx';
import { DisplayFrame } from './display-frame.tsx';

/** The display of the sandbox, and the tabs of its browser. */
export function DesktopView(): JSX.Element {
  const hasDisplay = useLink().sandbox.applications.desktop === 'running';
  return (
    <div class="desktop">
      <BrowserPanel hasDisplay={hasDisplay} />
      {hasDisplay ? (
        <DisplayFrame />
      ) : (
        <Empty title="This sandbox has no desktop">
          {GET_DESKTOP.map((way) => (
            <p key={way}>{way}</p>
          ))}
        </Empty>
      )}
    </div>
  );
}
