import type { App } from '@sandbox/api/http/app-types.ts';
import { V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import type { BrowserService } from '../browser-service.ts';
import { browserRoutes } from '../routes.ts';

export function browserV2(app: App, service: BrowserService): void {
  browserRoutes(app, service, { errors: V2_ERRORS, hasShellPaths: true });
}
