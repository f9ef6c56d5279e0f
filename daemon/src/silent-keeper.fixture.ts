import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import { DaemonProcess } from './daemon-process.fixture.ts';
import { hasKeeper } from './hosts.fixture.ts';

export interface SilentKeeperKit {
  /** Runtime directory of the daemon. */
  readonly directory: string;
  readonly daemon: DaemonProcess;
  /** From now on the keeper does not answer. */
  readonly stop: () => void;
  /** It goes on. */
  readonly goOn: () => void;
}

/** Defines tests of a daemon with a keeper that can be stopped. */
export function describeSilentKeeper(title: string, define: (kit: SilentKeeperKit) => void): void {
  describe.runIf(hasKeeper)(title, () => {
    let directory = '';
    let daemon: DaemonProcess;
    let keeper = 0;
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'sandboxd-silent-'));
      daemon = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'keeper' });
      keeper = Number(daemon.startLog.flatMap((line) => /"keeper":(\d+)/.exec(line)?.[1] ?? [])[0]);
    });
    afterEach(async () => {
      process.kill(keeper, 'SIGCONT');
      await daemon[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    });
    define({
      get directory() {
        return directory;
      },
      get daemon() {
        return daemon;
      },
      stop: () => void process.kill(keeper, 'SIGSTOP'),
      goOn: () => void process.kill(keeper, 'SIGCONT'),
    });
  });
}
