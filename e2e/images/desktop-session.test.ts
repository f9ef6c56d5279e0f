import { expect, test } from 'vitest';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { pollByProcess, untilHealthy } from './observe.ts';
import { runOnce } from './run-once.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';
import { programs } from './supervisor.ts';

const sandbox = sharedSandbox({ image: DESKTOP_IMAGE, env: NO_KERNELS });

test('[images.desktop] XFCE, its session bus and the worker run; the browser waits for its launcher', async () => {
  await untilHealthy(sandbox());
  const states = await programs(sandbox());
  for (const program of ['session-bus', 'settings', 'window-manager', 'panel', 'desktop', 'computer-use']) {
    expect([program, states[program]]).toEqual([program, 'RUNNING']);
  }
  expect(states['chromium']).toBe('STOPPED');
});

test('[images.desktop-a11y] what a command starts on the desktop tells its content to the worker', async () => {
  await untilHealthy(sandbox());
  await sandbox().run('exec mousepad', { mode: 'async' });
  const find = (): Promise<string> =>
    sandbox().shell("curl -s '127.0.0.1:18100/v2/computer/accessibility/nodes?scope=desktop&role=frame'");
  await pollByProcess(find).toContain('Mousepad');
});

test('[images.desktop-unknown] an unknown SVC_DESKTOP ends the boot with one line', async () => {
  const { code, output } = await runOnce({ SVC_DESKTOP: 'gnome' }, [], [], DESKTOP_IMAGE);
  expect([code, output.trim()]).toEqual([2, 'sandbox: SVC_DESKTOP: expected one of xfce none, got "gnome"']);
});
