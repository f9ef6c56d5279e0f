import type { App } from '@sandbox/api/http/app-types.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import type { BrowserService } from '../browser-service.ts';
import { browserRoutes } from '../routes.ts';

/** The same routes as on v2; a 422 has the fields of 1.x too. */
export function browserV1(app: App, service: BrowserService): void {
  browserRoutes(app, service, { errors: V1_ERRORS, hasShellPaths: false });
}
