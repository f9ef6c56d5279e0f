import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { keepRoute } from '../route.ts';
import { useLink } from './use-link.ts';

const BACK_MS = 8000;

/** Says that the sandbox does not answer, that it is back, and that the key is not accepted any more. */
export function LinkNotice(): JSX.Element {
  const { state, epoch, isRestarted } = useLink();
  const [seen, setSeen] = useState(epoch);
  useEffect(() => {
    if (epoch === seen) return;
    const timer = setTimeout(() => setSeen(epoch), BACK_MS);
    return () => clearTimeout(timer);
  }, [epoch, seen]);
  return (
    <div class="notices">
      <div role="alert">
        {state === 'away' && <p class="notice bad">The sandbox does not answer. Reconnecting…</p>}
        {state === 'refused' && (
          <p class="notice bad">
            The key is not accepted any more.{' '}
            <button type="button" onClick={enterKey}>
              Enter the key
            </button>
          </p>
        )}
      </div>
      <div role="status">
        {state === 'open' && epoch !== seen && (
          <p class="notice good">
            {isRestarted ? 'The daemon has restarted. The page is connected again.' : 'The sandbox answers again.'}
          </p>
        )}
      </div>
    </div>
  );
}

/** The form for the key leads to the address without its fragment. */
function enterKey(): void {
  keepRoute();
  location.reload();
}
