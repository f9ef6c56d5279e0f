import process from 'node:process';
import { beforeAll, describe, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { has } from '../../scripts/testing/machine.ts';
import { CALLERS, type CallerName } from '../day/callers.ts';
import { workingDay } from '../day/working-day.ts';
import { fillWheels, installFrom, wheelsOf } from '../setup/wheels.ts';
import { NO_BROWSER, startSandbox } from './sandbox.ts';

const KEY = 'key-of-the-day';
const WHEELS = '/opt/wheels';
/** The Python of the images. */
const VERSION = '3.13';
const HOOK = 'runuser -u sandbox -- env HOME=/home/sandbox pip install -q --user pandas matplotlib';

interface Row {
  readonly image: string;
  readonly route: CallerName;
  /** A hook installs pandas and matplotlib before the services start. */
  readonly isPrepared?: boolean;
}

const ROUTES = Object.keys(CALLERS) as CallerName[];
const WHOLE: readonly Row[] = [
  ...ROUTES.flatMap((route) => [DAEMON_IMAGE, DESKTOP_IMAGE].map((image) => ({ image, route }))),
  ...ROUTES.map((route) => ({ image: DAEMON_IMAGE, route, isPrepared: true })),
];
const ROWS: readonly Row[] =
  process.env['TEST_EXTENT'] === 'whole' ? WHOLE : [{ image: DAEMON_IMAGE, route: 'REST v2' }];

describe.runIf(has('registries'))('a day', () => {
  beforeAll(() => fillWheels(VERSION));

  test.for(ROWS)(
    '[code.day] [images.code] in a fresh container of $image by $route, prepared: $isPrepared',
    { timeout: 300_000 },
    async ({ image, route, isPrepared = false }) => {
      const wheels = { source: wheelsOf(VERSION), target: WHEELS, mode: 'ro' } as const;
      await using sandbox = await startSandbox({
        image,
        key: KEY,
        env: { SVC_API_KEY: KEY, ...NO_BROWSER, ...installFrom(WHEELS), ...(isPrepared && { RUN_HOOK_INIT: HOOK }) },
        with: (container) => container.withBindMounts([wheels]),
      });
      const { cells, seconds, slowest } = await workingDay(
        {
          url: sandbox.url,
          key: KEY,
          install: 'pip install',
          installFromCell: '[sys.executable, "-m", "pip", "install", "-q", "tqdm"]',
          isPrepared,
        },
        route,
      );
      process.stdout.write(`${image}, ${route}: ${cells} cells in ${seconds.toFixed(1)} s, ${slowest}\n`);
    },
  );
});
