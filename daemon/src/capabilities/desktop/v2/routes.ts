import type { App } from '@sandbox/api/http/app-types.ts';
import { SAVE_PATH_MAX } from '@sandbox/api/http/computer/record.ts';
import { COMPUTER_ROUTES } from '@sandbox/api/http/computer/routes.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { DesktopService } from '../desktop-service.ts';
import { forwardRoute } from '../wire/forward.ts';

export function desktopV2(app: App, desktop: DesktopService): void {
  for (const route of COMPUTER_ROUTES)
    forwardRoute(app, desktop, route, { toWorker: (body) => resolved(body, desktop) });
}

/** The body with the path of a recording as a shell resolves it. */
function resolved(body: unknown, { paths }: DesktopService): unknown {
  if (typeof body !== 'object' || body === null || !('save_path' in body)) return body;
  const { save_path: given } = body;
  if (typeof given !== 'string') return body;
  const path = paths.resolve(given);
  if (given.length <= SAVE_PATH_MAX && path.length > SAVE_PATH_MAX) {
    const message = `save_path has over ${SAVE_PATH_MAX} characters with the home in front of it`;
    throw new SandboxError('invalid', message, { hint: 'name a shorter path' });
  }
  return { ...body, save_path: path };
}
