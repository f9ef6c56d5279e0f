import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { ClientPort } from '../../../core/connection/client-port.ts';
import type { PtyService } from '../pty-service.ts';
import { Viewer, type ViewerOptions } from './viewer.ts';

/** Close code for an unknown session; 4000–4999 are free for applications (RFC 6455 §7.4.2). */
const NOT_FOUND = 4404;
/** Close code if the session cannot be opened, for the cases of 503 and 429. */
const REFUSED = 4503;

export interface AttachOptions extends Omit<ViewerOptions, 'backend'> {
  /** Size, directory and account of an anonymous shell. */
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly cwd?: string | undefined;
  readonly user?: string | undefined;
  /** Send the id of the session before any other message, as 1.x did. */
  readonly announce?: boolean;
}

/** Serves one viewer until the session or the connection ends. An unknown session: an error message, then close 4404. */
export async function attach(service: PtyService, id: string, port: ClientPort, options: AttachOptions): Promise<void> {
  const session = service.sessions.find(id);
  if (session === undefined) {
    port.sendText(JSON.stringify({ type: 'error', data: 'Session not found' }));
    port.close(NOT_FOUND, 'Session not found');
    return;
  }
  session.markNamed();
  using _held = service.sessions.hold(session);
  if (options.announce) port.sendText(JSON.stringify({ type: 'session_id', data: id }));
  await new Viewer(session, port, { ...options, backend: service.backend }).serve();
}

/** Opens a shell that ends with the connection of its viewer. */
export async function attachAnonymous(service: PtyService, port: ClientPort, options: AttachOptions): Promise<void> {
  const { cols, rows, cwd, user } = options;
  try {
    using held = await service.sessions.open({ cols, rows, cwd, user, retention: 'expiring' });
    try {
      await attach(service, held.session.id, port, options);
    } finally {
      await service.sessions.close(held.session);
    }
  } catch (error) {
    const reason = error instanceof SandboxError ? error.message : 'the session could not be opened';
    port.sendText(JSON.stringify({ type: 'error', data: reason }));
    port.close(REFUSED, reason.slice(0, 100));
  }
}
