import type { App } from '@sandbox/api/http/app-types.ts';
import { RECORD } from '@sandbox/api/http/computer/record.ts';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import type { DesktopService } from '../desktop-service.ts';
import { forwardRoute } from '../wire/forward.ts';

/** The recording under its name of 1.x; `/v1/browser/actions` belongs to the browser, which asks the desktop. */
export function desktopV1(app: App, desktop: DesktopService): void {
  const response = { ...RECORD.schema.response, ...V1_ERRORS };
  const route = { ...RECORD, schema: { ...RECORD.schema, operationId: 'recordDisplay', response } };
  forwardRoute(app, desktop, route, { url: '/display/record' });
}
