import { expect } from 'vitest';

type ServiceName = 'daemon' | 'gateway';

/** The running product, and what a test may do to its services. */
export interface FaultyProduct {
  readonly url: string;
  readonly key: string;
  readonly log: () => string;
  /** Undefined while the service does not run. */
  readonly pid: (service: ServiceName) => Promise<number | undefined>;
  readonly signal: (pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGUSR2') => Promise<void>;
  /** Names of the threads of a process. */
  readonly threads: (pid: number) => Promise<string[]>;
}

/** What a service with `spin-on-signal.mjs` does at these signals. */
const FAULTS = ['SIGKILL', 'SIGSTOP', 'SIGUSR2'] as const;

/** Kills, stops and spins each service; each time it restarts by itself, within the limit for a stall. */
export async function sufferFaults(product: FaultyProduct, stallSeconds: number): Promise<void> {
  for (const service of ['daemon', 'gateway'] as const) {
    for (const fault of FAULTS) {
      const pid = (await product.pid(service)) ?? 0;
      // The thread that logs the stack starts after the service.
      await expect.poll(() => product.threads(pid)).toContain('stall-thread');
      const before = product.log().length;
      await product.signal(pid, fault);
      await expect.poll(() => comesBack(product, service, pid)).toBe(true);
      const said = product.log().slice(before);
      const killed = `: ${service} has not responded for ${stallSeconds} s, killing it`;
      expect([fault, said.replaceAll('"msg":"', ': ').includes(killed)]).toEqual([fault, fault !== 'SIGKILL']);
      expect([fault, said.includes('at spinForever (')]).toEqual([fault, fault === 'SIGUSR2']);
    }
  }
}

async function comesBack({ url, key, pid }: FaultyProduct, service: ServiceName, old: number): Promise<boolean> {
  const now = await pid(service);
  if (now === undefined || now === old) return false;
  try {
    const headers = { 'x-api-key': key };
    return (await fetch(`${url}/ready`, { headers, signal: AbortSignal.timeout(2_000) })).status === 200;
  } catch {
    return false;
  }
}
