import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, envelopeOf, ok, V2_ERRORS } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import type { BrowserStarter } from '../start/browser-starter.ts';

const StartedBrowser = z
  .object({
    version: z.string().meta({ description: 'What the browser calls itself: Chrome/150.0.7871.114.' }),
    started: z.boolean().meta({ description: 'False if the browser had been running.' }),
  })
  .meta({ id: 'StartedBrowser' });

export function startRoute(app: App, starter: BrowserStarter): void {
  app.post('/browser/start', {
    schema: {
      tags: ['browser'],
      operationId: 'startBrowser',
      summary: 'Start the browser of the image',
      description: 'Asks the supervisor of the image and waits until the browser answers; 501 without a supervisor.',
      response: { 200: envelopeOf(StartedBrowser), ...V2_ERRORS, 501: ErrorBody, 503: ErrorBody },
    },
    handler: async () => {
      const browser = await starter.start();
      return ok(browser, browser.started ? `started ${browser.version}` : `${browser.version} is running`);
    },
  });
}
