import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { HostileServers } from '../attacks/hostile-servers.ts';
import { ATTACKS } from '../attacks/index.ts';
import { Attacker } from '../attacks/run-attack.ts';
import { Services } from '../services.ts';
import { waitedForProcessorMs } from './waited-for-processor.ts';

/** Attacks that run together. */
const TOGETHER = 6;
/**
 * Milliseconds that a request of a stranger may take meanwhile, without those in which the attacks and other programs
 * of the machine had the processors.
 */
const HEALTH_MS = 2_000;
/** Milliseconds between an answer and the next request, which count as part of it: a stall may begin in them. */
const BETWEEN_MS = 20;
/** Milliseconds for all attacks on a busy machine; on an idle one they take less than a minute. */
const WHOLE_MS = 900_000;
vi.setConfig({ testTimeout: WHOLE_MS });

test.each([
  ['open', undefined],
  ['with a key', 'key-of-the-attacked'],
])('[attacks.corpus] no attack ends or stalls services that are %s, and each gets its answer', async (_mode, key) => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(210);
  await using servers = await HostileServers.start();
  await using services = await Services.start({ ...servers.env, ...(key !== undefined && { SVC_API_KEY: key }) });
  const { gatewayPort, daemonPort, daemon, gateway } = services;
  await using attacker = await Attacker.start({ gatewayPort, daemonPort, key, servers });
  const left = [...ATTACKS];
  const faults: string[] = [];
  let longest = 0;
  let done = false;
  const waited = (): number => waitedForProcessorMs([process.pid, ...[daemon, gateway].map(({ pid }) => Number(pid))]);
  const stranger = (async () => {
    while (!done) {
      const [began, waitedBefore] = [performance.now(), waited()];
      await pause(BETWEEN_MS);
      expect((await fetch(`${services.url}/health`)).status).toBe(200);
      longest = Math.max(longest, performance.now() - began - (waited() - waitedBefore));
    }
  })();
  const work = async (): Promise<void> => {
    for (let attack = left.shift(); attack; attack = left.shift()) faults.push(...(await attacker.run(attack)));
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
  done = true;
  await stranger;
  expect(faults).toEqual([]);
  expect([daemon.exitCode, gateway.exitCode, daemon.signalCode, gateway.signalCode]).toEqual([null, null, null, null]);
  expect(longest).toBeLessThan(HEALTH_MS);
});
