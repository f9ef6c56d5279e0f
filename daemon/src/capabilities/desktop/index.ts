import { defineCapability } from '../../capability.ts';
import { DESKTOP } from '../../core/desktop/desktop.ts';
import { ShellPaths } from '../../core/files/shell-paths.ts';
import { provide } from '../../core/ports/port.ts';
import { DesktopService } from './desktop-service.ts';
import { DesktopOptions } from './options.ts';
import { DESKTOP_SCOPES } from './route-scopes.ts';
import { desktopV1 } from './v1/routes.ts';
import { desktopV2 } from './v2/routes.ts';
import { accessibilityTool } from './wire/accessibility-tool.ts';

const LOOKS = ['info', 'screenshot', 'cursor', 'clipboard', 'windows', 'accessibility', 'accessibility/nodes'];

export const desktop = defineCapability({
  name: 'desktop',
  scopes: DESKTOP_SCOPES,
  options: DesktopOptions,
  provides: [provide(DESKTOP, (service: DesktopService) => service)],
  create: ({ config, platform }, { computerUseUrl }) =>
    new DesktopService(computerUseUrl, new ShellPaths(config.defaultUser, platform)),
  // The report of activity has the kinds of the contract; on the display an agent mostly uses the browser.
  activity: {
    kind: 'browser',
    looks: LOOKS.map((path) => `/v2/computer/${path}`),
    transfers: [],
    records: 'desktop.action',
  },
  v2: desktopV2,
  v1: desktopV1,
  tools: accessibilityTool,
  report: async (service) => {
    const info = await service.info();
    if (info === undefined) return { computer: { status: 'absent' } };
    const isWhole = info.available && info.warnings.length === 0;
    return { computer: { ...info, status: isWhole ? 'ready' : 'degraded' } };
  },
});
