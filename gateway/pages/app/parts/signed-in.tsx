import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, Refusal } from '../sandbox/api.ts';
import { usePolled } from './use-polled.ts';

interface Session {
  readonly name: string | null;
  readonly scopes: readonly string[];
  /** Null where no key is needed. */
  readonly by: string | null;
}

/** Who opened the page, what the key is good for, and the way out. */
export function SignedIn(): JSX.Element | null {
  const { data } = usePolled((signal) => call<Session>('v2/session', { signal }), 'session', 0);
  const [fault, setFault] = useState('');
  if (data === undefined || data.by === null) return null;
  return (
    <div class="signed-in">
      <span>
        {data.name ?? 'The key'}
        <small>{data.scopes.join(', ')}</small>
      </span>
      {data.by === 'cookie' && (
        <button type="button" onClick={() => void signOut(setFault)}>
          Sign out
        </button>
      )}
      {fault !== '' && <p role="alert">{fault}</p>}
    </div>
  );
}

async function signOut(fail: (reason: string) => void): Promise<void> {
  try {
    await call('v2/session', { method: 'DELETE' });
  } catch (error) {
    // A cookie that is no longer valid has no need of it.
    if (!(error instanceof Refusal && error.status === 401)) {
      fail(error instanceof Error ? error.message : String(error));
      return;
    }
  }
  location.reload();
}
