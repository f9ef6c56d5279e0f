import type { App } from '@sandbox/api/http/app-types.ts';
import { COMPUTER_ROUTES } from '@sandbox/api/http/computer/routes.ts';
import type { DesktopService } from '../desktop-service.ts';
import { forwardRoute } from '../wire/forward.ts';

export function desktopV2(app: App, desktop: DesktopService): void {
  for (const route of COMPUTER_ROUTES)
    forwardRoute(app, desktop, route, { toWorker: (body) => resolved(body, desktop) });
}

/** The body with the path of a recording as a shell resolves it. */
function resolved(body: unknown, { paths }: DesktopService): unknown {
  if (typeof body !== 'object' || body === null || !('save_path' in body)) return body;
  return typeof body.save_path === 'string' ? { ...body, save_path: paths.resolve(body.save_path) } : body;
}
