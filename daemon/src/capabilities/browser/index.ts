import { defineCapability } from '../../capability.ts';
import { BROWSER_LIFE, type BrowserLife } from '../../core/browser/browser-life.ts';
import { DESKTOP } from '../../core/desktop/desktop.ts';
import { provide } from '../../core/ports/port.ts';
import { tool } from '../../core/requirement.ts';
import { BrowserService } from './browser-service.ts';
import { BrowserOptions } from './options.ts';
import { BROWSER_SCOPES } from './route-scopes.ts';
import { browserTools } from './tools.ts';
import { browserV1 } from './v1/routes.ts';
import { browserV2 } from './v2/routes.ts';
import { startRoute } from './wire/start-route.ts';

const LOOKS = ['tabs', 'cookies', 'network/requests', 'network/har', 'info', 'dialog', 'downloads', 'storage'];

export const browser = defineCapability({
  name: 'browser',
  scopes: BROWSER_SCOPES,
  options: BrowserOptions,
  requires: [
    tool('browser', {
      programs: ['chromium', 'chromium-browser', 'google-chrome'],
      hint: 'apt-get install chromium: the browser routes and /cdp',
    }),
  ],
  uses: [DESKTOP],
  provides: [provide(BROWSER_LIFE, (service: BrowserService): BrowserLife => service)],
  create: async (core, options, ports) => {
    const service = await BrowserService.open(core, options, ports);
    core.metrics.gauge('browser_tabs', 'Tabs of the browser that is connected.', () => service.tabCount);
    return service;
  },
  activity: {
    kind: 'browser',
    looks: LOOKS.flatMap((path) => [`/v1/browser/${path}`, `/v2/browser/${path}`]),
    transfers: [],
    records: 'browser.action',
  },
  routes: (app, { starter }) => startRoute(app, starter),
  v2: browserV2,
  v1: browserV1,
  tools: browserTools,
  probe: (service) => service.endpoint.probe(),
  report: async (service) => ({ browser: (await service.endpoint.version()) !== undefined }),
});
