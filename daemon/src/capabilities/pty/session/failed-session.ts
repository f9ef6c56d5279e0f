import type { Core } from '../../../core/core.ts';

/** A session whose output could not be handled. */
export interface FailedSession {
  readonly id: string;
  readonly open: boolean;
  close(): Promise<void>;
}

/** Closes a session after an exception in the work on its output, with one log line; the other sessions continue. */
export function closeFailed({ logger }: Core, err: unknown, session: FailedSession): void {
  if (!session.open) return;
  const { id } = session;
  logger.error({ err, session: id }, 'the output of a terminal could not be handled; the terminal is closed');
  session
    .close()
    .catch((error: unknown) => logger.error({ err: error, session: id }, 'a terminal could not be closed'));
}
