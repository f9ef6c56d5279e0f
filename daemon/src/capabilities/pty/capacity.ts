import type { RegistryTerms } from '../../core/registry.ts';
import type { PtySession } from './session/session.ts';
import type { SessionRecord } from './session/session-record.ts';

/** Ceiling of the open sessions and the choice of the session that gives way to a new one. */
export function registryTerms(ceiling: number): RegistryTerms<PtySession> {
  return {
    kind: 'terminal sessions',
    ceiling,
    hint: 'close some of them, or raise SVC_SHELL_MAX_SESSIONS',
    describe: (id, { record, attached, status, usage }) => ({
      sessionId: id,
      status,
      attached,
      createdAt: record.createdAt,
      lastUsedAt: usage.lastUsedAt.toISOString(),
    }),
    counts: ({ open }) => open,
    givesWay: longestIdle,
  };
}

/** Sessions to close now: idle for `timeoutMs`, without viewers, and ended or expiring. */
export function expired(sessions: readonly PtySession[], timeoutMs: number): PtySession[] {
  return sessions.filter((session) => {
    if (session.usage.idleMs < timeoutMs || session.attached > 0) return false;
    return !session.open || (isExpiring(session.record) && !session.busy);
  });
}

function isExpiring({ named, retention }: SessionRecord): boolean {
  return retention === null ? !named : retention === 'expiring';
}

/** The longest idle session without a name, a running program or a viewer. */
function longestIdle(sessions: readonly PtySession[]): PtySession | undefined {
  return sessions
    .filter((session) => !session.record.named && session.attached === 0 && !session.busy)
    .toSorted((one, other) => other.usage.idleMs - one.usage.idleMs)[0];
}
