import { SandboxError } from '../../core/errors.ts';
import type { PtySession } from './session/session.ts';

/** Whether a session may give way to another one: nobody named it, it runs nothing, and nobody looks at it. */
function mayGiveWay(session: PtySession): boolean {
  return !session.record.named && session.attached === 0 && !session.busy;
}

/** The longest idle of those that may give way. */
export function nextToGiveWay(sessions: readonly PtySession[]): PtySession | undefined {
  return sessions
    .filter(mayGiveWay)
    .reduce<PtySession | undefined>(
      (oldest, session) => (oldest === undefined || session.usedAt < oldest.usedAt ? session : oldest),
      undefined,
    );
}

/** Those whose time is over, now. */
export function expired(sessions: readonly PtySession[], timeoutMs: number): PtySession[] {
  return sessions.filter((session) => {
    const idle = Date.now() - session.usedAt >= timeoutMs;
    if (!idle || session.attached > 0) return false;
    return !session.open || (session.record.retention === 'expiring' && !session.busy);
  });
}

export function refuseBeyond(ceiling: number, sessions: readonly PtySession[]): never {
  const holders = sessions.map(({ id, record, attached, status, usedAt }) => ({
    sessionId: id,
    status,
    attached,
    createdAt: record.createdAt,
    lastUsedAt: new Date(usedAt).toISOString(),
  }));
  throw new SandboxError('capacity', `${sessions.length} terminal sessions are open, the ceiling is ${ceiling}`, {
    hint: 'close some of them, or raise SVC_SHELL_MAX_SESSIONS',
    data: { holders },
  });
}
