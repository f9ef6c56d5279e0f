import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { fetchPatiently } from '../../scripts/testing/patience.ts';
import { growthDuring } from '../../scripts/testing/process-memory.ts';
import { processorTimeOf } from '../../scripts/testing/process-time.ts';
import { DISPLAYS, HostileDisplay } from './engines/displays.ts';
import { json } from './engines/engine-attack.ts';
import { IS_WHOLE } from './engines/seed.ts';

/** Milliseconds of a call. */
const DEADLINE_MS = 60_000;
/** Milliseconds of its processor that a worker may use before it answers /healthz: a busy machine adds none. */
const HEALTH_MS = 5_000;
const MEMORY_BYTES = 512 * 1024 ** 2;
/** Attacks at a time: most of them wait. */
const WIDTH = 6;
const SOUND = [200, 400, 404, 503];

const CALLS: readonly (readonly [path: string, init?: RequestInit])[] = [
  ['/v2/computer/info'],
  ['/v2/computer/screenshot?cursor=true'],
  ['/v2/computer/screenshot?scale=0.1'],
  ['/v2/computer/windows'],
  ['/v2/computer/cursor'],
  ['/v2/computer/clipboard'],
  ['/v2/computer/actions', json({ action_type: 'SET_CLIPBOARD', text: 'x'.repeat(300_000) })],
  ['/v2/computer/actions', json({ action_type: 'MOVE_TO', x: 1, y: 1 })],
  ['/v2/computer/actions', json({ action_type: 'TYPING', text: 'aä漢' })],
  ['/v2/computer/actions', json({ action_type: 'WINDOW_ACTIVATE', window_id: '0x7' })],
  ['/v2/computer/resolution', json({ width: 900, height: 700 })],
];

/** A worker in a process of its own, which an attack may stall or end. */
class Worker implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly #url: string;

  constructor(display: string, port: number) {
    const env = { ...process.env, DISPLAY: display, COMPUTER_USE_PORT: String(port), LOG_LEVEL: 'silent' };
    this.process = spawn(process.execPath, [join(ROOT, 'computer-use/src/main.ts')], { env, stdio: 'ignore' });
    this.#url = `http://127.0.0.1:${port}`;
  }

  async started(): Promise<void> {
    await expect.poll(() => this.call('/healthz', DEADLINE_MS)).toBe(200);
  }

  /** The status of /healthz; a text if the worker computed something else for too long before. */
  async health(): Promise<number | string> {
    const pid = Number(this.process.pid);
    const begun = processorTimeOf(pid);
    const status = await this.call('/healthz', DEADLINE_MS);
    const used = processorTimeOf(pid) - begun;
    return used > HEALTH_MS ? `${status} after ${used} ms of its processor` : status;
  }

  /** The status; a text if there is none. */
  async call(path: string, ms: number, init?: RequestInit): Promise<number | string> {
    try {
      return (await fetchPatiently(this.#url + path, { ...init, ms })).status;
    } catch (error) {
      return String(error instanceof Error ? (error.cause ?? error) : error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}

test('[engines.display] a hostile X server costs its own calls only, in bounded time and memory', async () => {
  const queue = DISPLAYS.filter(({ isLong = false }) => IS_WHOLE || !isLong).values();
  const attackAll = async (): Promise<void> => {
    for (const attack of queue) {
      await using display = await HostileDisplay.start(attack);
      await using worker = new Worker(display.name, await freePort());
      await worker.started();
      const wrong: (number | string)[] = [];
      const note = (what: string, status: number | string, sound: readonly number[]): void => {
        if (!sound.includes(Number(status))) wrong.push(`${what}: ${status}`);
      };
      const growth = await growthDuring(Number(worker.process.pid), async () => {
        const calls = CALLS.map(async ([path, init]) => note(path, await worker.call(path, DEADLINE_MS, init), SOUND));
        const all = Promise.all(calls);
        let isOver = false;
        void all.then(() => {
          isOver = true;
        });
        const look = async (): Promise<boolean> => {
          note('/healthz', await worker.health(), [200]);
          return isOver;
        };
        await pollUntil(look, { everyMs: 200, ms: 20 * DEADLINE_MS });
        // A second round finds a connection that was left half open.
        note('again', await worker.call('/v2/computer/windows', DEADLINE_MS), SOUND);
      });
      if (growth > MEMORY_BYTES) wrong.push(`${growth} bytes`);
      const { exitCode, signalCode } = worker.process;
      expect.soft([attack.name, ...wrong, exitCode, signalCode]).toEqual([attack.name, null, null]);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, attackAll));
}, 900_000);
