import { SandboxError } from '../../../core/errors.ts';
import type { PtyService } from '../pty-service.ts';
import { Viewer, type ViewerOptions, type ViewerPort } from './viewer.ts';

/** The code of a connection whose session there is not (RFC 6455 §7.4.2 leaves 4000–4999 to applications). */
const NOT_FOUND = 4404;
/** The session could not be opened, as 503 or 429 would say. */
const REFUSED = 4503;

export interface AttachOptions extends Omit<ViewerOptions, 'backend'> {
  /** Of an anonymous shell. */
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly cwd?: string | undefined;
  readonly user?: string | undefined;
  /** Say the id of the session before anything else, as 1.x did. */
  readonly announce?: boolean;
}

/** Serves one viewer of the session until either goes. An unknown session is told in words, then closed with 4404. */
export async function attach(service: PtyService, id: string, port: ViewerPort, options: AttachOptions): Promise<void> {
  const session = service.find(id);
  if (session === undefined) {
    port.sendText(JSON.stringify({ type: 'error', data: 'Session not found' }));
    port.close(NOT_FOUND, 'Session not found');
    return;
  }
  if (options.announce) port.sendText(JSON.stringify({ type: 'session_id', data: id }));
  await new Viewer(session, port, { ...options, backend: service.backend }).serve();
}

/** Opens a shell that dies with its socket. */
export async function attachAnonymous(service: PtyService, port: ViewerPort, options: AttachOptions): Promise<void> {
  const { cols, rows, cwd, user } = options;
  try {
    const session = await service.create({ cols, rows, cwd, user, retention: 'expiring' });
    try {
      await attach(service, session.id, port, options);
    } finally {
      await service.close(session);
    }
  } catch (error) {
    const reason = error instanceof SandboxError ? error.message : 'the session could not be opened';
    port.sendText(JSON.stringify({ type: 'error', data: reason }));
    port.close(REFUSED, reason.slice(0, 100));
  }
}
