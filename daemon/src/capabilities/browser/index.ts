import { defineCapability } from '../../capability.ts';
import { tool } from '../../core/requirement.ts';
import { BrowserEndpoint } from './browser-endpoint.ts';
import { BrowserOptions } from './options.ts';
import { startRoute } from './wire/start-route.ts';

export const browser = defineCapability({
  name: 'browser',
  options: BrowserOptions,
  requires: [
    tool('browser', {
      programs: ['chromium', 'chromium-browser', 'google-chrome'],
      hint: 'apt-get install chromium: the browser routes and /cdp',
    }),
  ],
  create: (_core, options) => new BrowserEndpoint(options),
  routes: (app, { starter }) => startRoute(app, starter),
  probe: (endpoint) => endpoint.probe(),
  report: async (endpoint) => ({ browser: (await endpoint.version()) !== undefined }),
});
