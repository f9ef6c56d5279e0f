import type { App } from '@sandbox/api/http/app-types.ts';
import { nameUnknownFields } from '../../http/unknown/refuse-unknown-fields.ts';
import type { BrowserService } from './browser-service.ts';
import { actionRoute } from './wire/action-route.ts';
import { browserWideRoutes } from './wire/browser-routes.ts';
import { cookieRoutes } from './wire/cookie-routes.ts';
import { dialogRoutes } from './wire/dialog-routes.ts';
import { downloadRoutes } from './wire/download-routes.ts';
import { elementRoutes } from './wire/element-routes.ts';
import { pageRoutes } from './wire/page-routes.ts';
import { recordRoutes } from './wire/record-routes.ts';
import { screenshotRoute } from './wire/screenshot-route.ts';
import type { Surface } from './wire/surface.ts';
import { tabRoutes } from './wire/tab-routes.ts';

/** The routes of both surfaces; `surface` has what they say differently. */
export function browserRoutes(app: App, service: BrowserService, surface: Surface): void {
  nameUnknownFields(app);
  for (const add of [
    tabRoutes,
    pageRoutes,
    elementRoutes,
    dialogRoutes,
    downloadRoutes,
    recordRoutes,
    screenshotRoute,
    cookieRoutes,
    browserWideRoutes,
    actionRoute,
  ]) {
    add(app, service, surface);
  }
}
