import { readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';

/** What a machine has and uses; sizes in bytes. */
export interface MachineFigures {
  readonly cpuCount: number;
  /** Of all processors together, since the last look. */
  readonly cpuUsedPct: number;
  readonly memTotal: number;
  readonly memUsed: number;
  readonly memCache: number;
  readonly diskUsed: number;
  readonly diskTotal: number;
}

interface CpuTimes {
  readonly idle: number;
  readonly all: number;
}

/** Looks at the machine; the use of processors is that between two looks. */
export class Machine {
  #before = timesNow();

  async look(): Promise<MachineFigures> {
    const now = timesNow();
    const all = now.all - this.#before.all;
    const busy = all - (now.idle - this.#before.idle);
    if (all > 0) this.#before = now;
    const [{ blocks, bfree, bsize }, memory] = await Promise.all([statfs('/'), memoryNow()]);
    return {
      cpuCount: cpus().length,
      cpuUsedPct: all > 0 ? Math.round((busy / all) * 10_000) / 100 : 0,
      ...memory,
      diskUsed: (blocks - bfree) * bsize,
      diskTotal: blocks * bsize,
    };
  }
}

function timesNow(): CpuTimes {
  let [idle, all] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    all += Object.values(times).reduce((sum, time) => sum + time, 0);
  }
  return { idle, all };
}

/** proc(5), /proc/meminfo, in kibibytes. */
async function memoryNow(): Promise<Pick<MachineFigures, 'memTotal' | 'memUsed' | 'memCache'>> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const fields = new Map(text.split('\n').map((line) => line.split(/[: ]+/) as [string, string]));
  const field = (name: string): number => 1024 * Number(fields.get(name) ?? 0);
  const memTotal = field('MemTotal') || totalmem();
  const available = field('MemAvailable') || freemem();
  return { memTotal, memUsed: memTotal - available, memCache: field('Cached') };
}
