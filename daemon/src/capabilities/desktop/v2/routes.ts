import type { App } from '@sandbox/api/http/app-types.ts';
import { COMPUTER_ROUTES } from '@sandbox/api/http/computer/routes.ts';
import type { DesktopService } from '../desktop-service.ts';
import { forwardRoute } from '../wire/forward.ts';

export function desktopV2(app: App, desktop: DesktopService): void {
  for (const route of COMPUTER_ROUTES) forwardRoute(app, desktop, route);
}
