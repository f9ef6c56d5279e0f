import { afterAll, beforeAll } from 'vitest';
import { describeRows } from '../../scripts/testing/describe-rows.ts';
import type { Config } from './config.ts';
import { keeperProgram } from './core/process/keeper/keeper-program.ts';

interface TestedHost {
  readonly isThere: boolean;
  readonly processHost: Exclude<Config['processHost'], 'auto' | 'supervised'>;
  /** Commands and what they wrote outlive the daemon. */
  readonly survivesDaemon: boolean;
  /** It can say what a command used. */
  readonly usage: boolean;
}

export const hasKeeper = keeperProgram(undefined).isThere;

const ALL: readonly TestedHost[] = [
  { isThere: hasKeeper, processHost: 'keeper', survivesDaemon: true, usage: true },
  { isThere: true, processHost: 'portable', survivesDaemon: false, usage: false },
];

/** The only host of this run, such as that of the image; unset: each of them. */
export const ONLY_HOST = process.env['TEST_PROCESS_HOST'];

const HOSTS = ALL.filter(({ processHost }) => ONLY_HOST === undefined || processHost === ONLY_HOST);

let current: TestedHost['processHost'] | 'auto' = 'auto';

/** The host of apps that name none. */
export function hostOfTests(): Config['processHost'] {
  return current;
}

/** As `describe`, once for each process host: apps that are started inside have it. */
export function describeOnHosts(name: string, define: (host: TestedHost) => void): void {
  describeRows(
    HOSTS,
    ({ processHost }) => `${name}, ${processHost} host`,
    (host) => {
      beforeAll(() => {
        current = host.processHost;
      });
      afterAll(() => {
        current = 'auto';
      });
      define(host);
    },
  );
}
