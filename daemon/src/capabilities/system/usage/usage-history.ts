import { ignore } from '@sandbox/program/ignore.ts';
import { type Network, readNetwork } from '@sandbox/program/resources/network.ts';
import { readResources } from '@sandbox/program/resources/read-resources.ts';
import type { Resources } from '@sandbox/program/resources/resources.ts';

/** Milliseconds between two samples. */
export const SAMPLE_MS = 5000;
/** Milliseconds after which a sample is dropped. */
export const HISTORY_MS = 900_000;
const SAMPLES_MAX = HISTORY_MS / SAMPLE_MS;

/** What the sandbox used at one moment. Sizes are bytes. */
export interface UsageSample {
  readonly at: Date;
  /** Processors, on average since the sample before. */
  readonly cpu: number;
  readonly memory: number;
  readonly disk: number | null;
  /** Bytes a second since the sample before; null where the system does not count them. */
  readonly received: number | null;
  readonly sent: number | null;
}

interface Reading {
  readonly resources: Resources;
  readonly network: Network | null;
}

/** Samples of what the sandbox uses, the last 15 minutes. */
export class UsageHistory implements Disposable {
  readonly #samples: { readonly sample: UsageSample; readonly atMs: number }[] = [];
  readonly #timer: NodeJS.Timeout;
  #last: Reading | undefined;
  #isReading = false;

  /** @param everyMs between two samples */
  constructor(everyMs: number = SAMPLE_MS) {
    this.#timer = setInterval(() => void this.#take(), everyMs).unref();
    void this.#take();
  }

  /** The oldest first. */
  get samples(): UsageSample[] {
    const oldest = performance.now() - HISTORY_MS;
    return this.#samples.filter(({ atMs }) => atMs >= oldest).map(({ sample }) => sample);
  }

  /** What the figures are of, and what there is at most. */
  async limits(): Promise<Pick<Resources, 'of' | 'cpu' | 'memory' | 'disk'>> {
    return this.#last?.resources ?? (await readResources());
  }

  /** A reading that takes longer than the time between two is not overtaken. */
  async #take(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const now = await readBoth().catch(ignore);
    this.#isReading = false;
    const before = this.#last;
    if (now === undefined) return;
    this.#last = now;
    if (before === undefined) return;
    const ms = now.resources.cpu.at_ms - before.resources.cpu.at_ms;
    this.#samples.push({ sample: sampleOf(before, now, ms), atMs: now.resources.cpu.at_ms });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

async function readBoth(): Promise<Reading> {
  const [resources, network] = await Promise.all([readResources(), readNetwork()]);
  return { resources, network };
}

function sampleOf(before: Reading, { resources, network }: Reading, ms: number): UsageSample {
  const rate = (from: number | undefined, to: number | undefined): number | null =>
    from === undefined || to === undefined ? null : Math.max(0, ((to - from) / ms) * 1000);
  return {
    at: new Date(),
    cpu: Math.max(0, (resources.cpu.used_ms - before.resources.cpu.used_ms) / ms),
    memory: resources.memory.used,
    disk: resources.disk?.used ?? null,
    received: rate(before.network?.received, network?.received),
    sent: rate(before.network?.sent, network?.sent),
  };
}
