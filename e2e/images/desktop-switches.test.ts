import { expect } from 'vitest';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { describeGroups, type Group } from './groups.ts';
import { browserLine, pollByProcess, untilHealthy } from './observe.ts';
import { NO_KERNELS, type Sandbox } from './sandbox.ts';
import { pidOf, programs } from './supervisor.ts';

interface Info {
  readonly screen_resolution: unknown;
  readonly capabilities: { readonly actions: boolean; readonly accessibility: boolean };
  readonly warnings: readonly string[];
}

async function info(sandbox: Sandbox): Promise<Info> {
  return ((await (await sandbox.fetch('/v2/computer/info')).json()) as { data: Info }).data;
}

const GROUPS: readonly Group[] = [
  {
    title: 'a desktop without accessibility, of another size, with the browser from the start',
    image: DESKTOP_IMAGE,
    env: {
      ENABLE_DBUS: 'false',
      BROWSER_RESOLUTION: '1400x1050',
      BROWSER_START_MODE: 'async',
      SVC_STALL_SECONDS: '8',
      ...NO_KERNELS,
    },
    rows: [
      [
        '[images.desktop-dbus] ENABLE_DBUS=false: commands have no session bus, the worker no accessibility, and says so',
        async (sandbox) => {
          await untilHealthy(sandbox);
          const { stdout } = await sandbox.run('echo "[$DBUS_SESSION_BUS_ADDRESS$ACCESSIBILITY_ENABLED]"');
          expect(stdout).toBe('[]\n');
          const { capabilities, warnings } = await info(sandbox);
          expect(capabilities).toMatchObject({ actions: true, accessibility: false });
          expect(warnings.join()).toContain('accessib');
          expect((await sandbox.fetch('/v2/computer/accessibility')).status).toBe(503);
          expect(await browserLine(sandbox)).not.toContain('--force-renderer-accessibility');
        },
      ],
      [
        '[images.desktop-resolution] BROWSER_RESOLUTION is the size of the display, and XFCE fills it',
        async (sandbox) => {
          expect((await info(sandbox)).screen_resolution).toEqual({ width: 1400, height: 1050 });
          expect(await programs(sandbox)).toMatchObject({ panel: 'RUNNING', desktop: 'RUNNING', chromium: 'RUNNING' });
          await pollByProcess(() => sandbox.shell('xwininfo -root -tree')).toMatch(/"Desktop".* 1400x1050\+0\+0/);
        },
      ],
      [
        '[images.desktop-stall] a worker that stands still is killed and serves again',
        async (sandbox) => {
          const pid = await pidOf(sandbox, 'computer-use');
          await sandbox.shell(`kill -STOP ${pid}`);
          await sandbox.said('watchdog: computer-use has not responded for 8 s, killing it');
          await expect.poll(async () => (await sandbox.fetch('/v2/computer/cursor')).status).toBe(200);
          expect(await pidOf(sandbox, 'computer-use')).not.toBe(pid);
        },
      ],
    ],
  },
  {
    title: 'without a desktop',
    image: DESKTOP_IMAGE,
    env: { SVC_DESKTOP: 'none', ...NO_KERNELS },
    rows: [
      [
        '[images.desktop-none] SVC_DESKTOP=none: the display has a window manager alone, and no worker',
        async (sandbox) => {
          await untilHealthy(sandbox);
          const states = await programs(sandbox);
          expect(states).toMatchObject({ 'window-manager': 'RUNNING' });
          for (const name of ['session-bus', 'settings', 'panel', 'desktop', 'computer-use']) {
            expect(states).not.toHaveProperty(name);
          }
          expect((await sandbox.fetch('/v2/computer/info')).status).toBe(503);
        },
      ],
    ],
  },
];

describeGroups(GROUPS);
