import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FramedPage } from './framed-page.tsx';

/** The parameters of noVNC's page for a display that is only watched. */
const WATCHED = 'vnc/index.html?autoconnect=true&resize=scale&reconnect=true&view_only=true';

/** The display: at first it is only watched, so that no click disturbs an agent. */
export function DisplayFrame(): JSX.Element {
  const [drives, setDrives] = useState(false);
  return (
    <FramedPage
      address="vnc/"
      framed={drives ? 'vnc/' : WATCHED}
      title="Display of the sandbox"
      allow="clipboard-read; clipboard-write; fullscreen"
    >
      <button type="button" onClick={() => setDrives(!drives)}>
        {drives ? 'Hand back' : 'Take over'}
      </button>
      <span class="quiet" role="status">
        {drives ? 'You drive, beside any agent.' : 'You watch.'}
      </span>
    </FramedPage>
  );
}
