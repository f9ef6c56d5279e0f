import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CuttingProxy } from '../clients/typescript/src/cutting-proxy.fixture.ts';
import { Sandbox } from '../clients/typescript/src/index.ts';
import { heldMemory } from '../scripts/testing/held-memory.ts';
import { tempDir } from '../scripts/testing/temp-dir.ts';
import { USES, type Use } from './client-uses.ts';
import { Services } from './services.ts';

interface CutsReport {
  readonly cuts: number;
  readonly kills: number;
  /** How often each use ended. */
  readonly done: Readonly<Record<string, number>>;
  /** What was wrong, with the name of the use. */
  readonly faults: readonly string[];
  /** What a use left behind in the sandbox. */
  readonly left: readonly string[];
  /** Connections of the client that are open at the end; fetch keeps idle ones for later calls. */
  readonly connections: number;
  /** Bytes that the process of the client holds at the end more than after a third of the time. */
  readonly growth: number;
}

interface CutsOptions {
  readonly seconds: number;
  /** Seconds to the first kill of the daemon; the others follow every 20 s. */
  readonly firstKill: number;
}

const KILL_EVERY = 20;

/** Runs all uses at once, again and again, while connections are cut every 0.3 to 3 s and the daemon is killed. */
export async function cutsUnderUse({ seconds, firstKill }: CutsOptions): Promise<CutsReport> {
  await using services = await Services.start();
  await using directory = await tempDir();
  await using proxy = await CuttingProxy.start(services.gatewayPort);
  const sandbox = Sandbox.at({ url: proxy.url, retryFor: 120 });
  const end = performance.now() + seconds * 1000;
  // What runs then may end in peace.
  const stop = AbortSignal.timeout(seconds * 1000);
  const cutting = every(
    () => 300 + Math.random() * 2700,
    stop,
    async () => proxy.cut(),
  );
  let kills = 0;
  const killing = every(
    () => 1000 * (kills === 0 ? firstKill : KILL_EVERY),
    stop,
    async () => {
      kills++;
      await services.stopDaemon('SIGKILL');
      await services.startDaemon();
    },
  );
  const early = sleep((seconds * 1000) / 3).then(() => heldWithout(services.log));
  const done: Record<string, number> = {};
  const faults: string[] = [];
  await Promise.all(
    Object.entries(USES).map(async ([name, use]) => {
      const place = join(directory.path, name);
      do {
        const fault = await outcome(use, sandbox, place);
        if (fault !== undefined) faults.push(`${name}: ${fault}`);
        done[name] = (done[name] ?? 0) + 1;
      } while (performance.now() < end && faults.length === 0);
    }),
  );
  await Promise.all([cutting, killing]);
  const left = await leftIn(Sandbox.at({ url: services.url }), services.url);
  const { cuts, connections } = proxy;
  const growth = heldWithout(services.log) - (await early);
  return { cuts, kills, done, faults, left, connections, growth };
}

/** Without the lines of the services, which are held for faults. */
function heldWithout(log: string[]): number {
  log.length = 0;
  return heldMemory();
}

async function every(ms: () => number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await sleep(ms(), undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await work();
  }
}

async function outcome(use: Use, sandbox: Sandbox, place: string): Promise<string | undefined> {
  await mkdir(place, { recursive: true });
  try {
    return await use(sandbox, place);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function leftIn(sandbox: Sandbox, url: string): Promise<string[]> {
  const commands = (await sandbox.commands({ limit: 1000 })).filter(({ status }) => status === 'running');
  const get = async (path: string): Promise<Record<string, object[]>> =>
    ((await (await fetch(url + path)).json()) as { data: Record<string, object[]> }).data;
  const [{ sessions: terminals = [] }, { sessions = [] }] = [
    await get('/v2/pty/sessions'),
    await get('/v2/code/sessions'),
  ];
  const open = Object.values(terminals).filter((terminal) => 'status' in terminal && terminal.status !== 'exited');
  return [...commands.map(({ command }) => command), ...[...open, ...sessions].map((item) => JSON.stringify(item))];
}
