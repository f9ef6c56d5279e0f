import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
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
  if (pidOfEngine() === undefined) {
    const pid = start();
    say(`no Docker engine answered: started dockerd (pid ${pid}, log ${LOG}); it stays after this`);
  }
  const deadline = performance.now() + START_MS;
  while (!(await answers())) {
    if (performance.now() > deadline) throw new Error(`dockerd does not answer after ${START_MS / 1000} s: see ${LOG}`);
    await delay(LOOK_MS);
  }
}

/** Runs `build` while the steps of builds, which are children of the engine, have the lowest priority. */
export async function atLowPriority(build: () => Promise<void>): Promise<void> {
  const pid = pidOfEngine();
  const before = pid === undefined ? 0 : getPriority(pid);
  if (pid !== undefined) setPriorities(pid, constants.priority.PRIORITY_LOW);
  try {
    await build();
  } finally {
    if (pid !== undefined) setPriorities(pid, before);
  }
}

/** A child inherits the priority of the thread that starts it. Containers that run are not children of the engine. */
function setPriorities(pid: number, priority: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), priority);
  } catch {
    // Another account's engine, or a thread that has just ended: the build has the priority of other programs.
  }
}

/** The engine of this machine. Its pid file may be from an earlier boot. */
function pidOfEngine(): number | undefined {
  try {
    const pid = Number(readFileSync('/var/run/docker.pid', 'utf8'));
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'dockerd' ? pid : undefined;
  } catch {
    return undefined;
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
