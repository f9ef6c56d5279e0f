import { afterAll, beforeAll, describe } from 'vitest';
import type { Config } from './core/config.ts';
import { keeperProgram } from './core/process/keeper-program.ts';

interface TestedHost {
  readonly processHost: Exclude<Config['processHost'], 'auto' | 'supervised'>;
  /** Commands and what they wrote outlive the daemon. */
  readonly survivesDaemon: boolean;
  /** It can say what a command used. */
  readonly usage: boolean;
}

export const hasKeeper = keeperProgram(undefined).isThere;
if (!hasKeeper) process.stderr.write('not tested: commands held by the keeper, which was not built\n');

/** Every process host that can be tested here. */
export const HOSTS: readonly TestedHost[] = [
  ...(hasKeeper ? [{ processHost: 'keeper', survivesDaemon: true, usage: true } as const] : []),
  { processHost: 'portable', survivesDaemon: false, usage: false },
];

let current: TestedHost['processHost'] | 'auto' = 'auto';

/** The host of apps that name none. */
export function hostOfTests(): Config['processHost'] {
  return current;
}

/** As `describe`, once for each process host: apps that are started inside have it. */
export function describeOnHosts(name: string, define: (host: TestedHost) => void): void {
  describe.each(HOSTS)(`${name}, $processHost host`, (host) => {
    beforeAll(() => {
      current = host.processHost;
    });
    afterAll(() => {
      current = 'auto';
    });
    define(host);
  });
}
