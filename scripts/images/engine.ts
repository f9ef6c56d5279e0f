import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { debianProgram, mayInstall, unmet } from '../test-all/need.ts';
import { capture } from './docker.ts';

const LOG = '/var/log/dockerd.log';
const START_MS = 60_000;
const LOOK_MS = 200;

const DOCKERD = debianProgram('dockerd', 'images are built and run by it', 'docker.io');

/**
 * Ensures that a Docker engine answers. A running one is used unchanged; without one, root on Debian installs
 * Debian's and starts it; it outlives this process.
 * @throws Error with the remedy if none is available
 */
export async function ensureEngine(say: (line: string) => void): Promise<void> {
  if (await answers()) return;
  if (!mayInstall()) {
    throw new Error('no Docker engine answers: start one, or run this as root on Debian, where it brings its own');
  }
  const [missing] = await unmet([DOCKERD], true);
  if (missing) throw new Error(`no Docker engine answers, and Debian's cannot be installed: ${missing.reason}`);
  if (!isStarting()) {
    const pid = start();
    say(`no Docker engine answered: started dockerd (pid ${pid}, log ${LOG}); it stays after this`);
  }
  const deadline = performance.now() + START_MS;
  while (!(await answers())) {
    if (performance.now() > deadline) throw new Error(`dockerd does not answer after ${START_MS / 1000} s: see ${LOG}`);
    await delay(LOOK_MS);
  }
}

/** Its pid file may be from an earlier boot of this machine. */
function isStarting(): boolean {
  try {
    const pid = readFileSync('/var/run/docker.pid', 'utf8').trim();
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'dockerd';
  } catch {
    return false;
  }
}

async function answers(): Promise<boolean> {
  return (await capture(['docker', 'version', '--format', '{{.Server.Version}}'])).ok;
}

/** In its own session, so that no signal to this process reaches it. */
function start(): number | undefined {
  mkdirSync('/var/log', { recursive: true });
  const log = openSync(LOG, 'a');
  const daemon = spawn('dockerd', [], { detached: true, stdio: ['ignore', log, log] });
  daemon.unref();
  return daemon.pid;
}
