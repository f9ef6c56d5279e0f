import type { ChildProcess } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Attack } from '../../e2e/attacks/attack.ts';
import { HostileServers } from '../../e2e/attacks/hostile-servers.ts';
import { ATTACKS } from '../../e2e/attacks/index.ts';
import { Attacker } from '../../e2e/attacks/run-attack.ts';
import { Services } from '../../e2e/services.ts';
import { SeededRandom } from '../testing/seeded-random.ts';
import { COLLECTING, type Footprint, quietFootprint } from './footprint.ts';

/** Attacks that run together. */
const TOGETHER = 8;
/** Milliseconds after which the footprint is measured that the one at the end is compared with. */
const FIRST_MS = 60_000;
/** Bytes by which the resident memory of a service may have grown. */
const GROWTH_BYTES = 16 * 1024 ** 2;

export interface SoakTerms {
  /** Undefined: open services. */
  readonly key: string | undefined;
  readonly minutes: number;
  readonly say: (line: string) => void;
}

/** Runs the attacks in random order against both services; answers what is wrong, also with their footprint. */
export async function soak({ key, minutes, say }: SoakTerms): Promise<string[]> {
  const mode = key === undefined ? 'open' : 'keyed';
  await using servers = await HostileServers.start();
  const credential = key === undefined ? {} : { SVC_API_KEY: key };
  await using services = await Services.start({ ...servers.env, ...credential }, COLLECTING);
  const { gatewayPort, daemonPort } = services;
  await using attacker = await Attacker.start({ gatewayPort, daemonPort, key, servers });
  const random = new SeededRandom(`soak, ${mode}`);
  const faults: string[] = [];
  let count = 0;
  const attackWith = async (next: () => Attack | undefined): Promise<void> => {
    const work = async (): Promise<void> => {
      for (let attack = next(); attack; attack = next()) {
        faults.push(...(await attacker.run(attack)));
        count += 1;
        await nextTurn();
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
  };
  const attackUntil = (deadline: number): Promise<void> =>
    attackWith(() => (performance.now() < deadline ? ATTACKS[random.below(ATTACKS.length)] : undefined));
  const measure = (): Promise<Footprint[]> => quietFootprint(services, key);
  const firstMs = Math.min(FIRST_MS, minutes * 30_000);
  // What a service opens once, at the first use, does not count as growth.
  const each = [...ATTACKS];
  await attackWith(() => each.shift());
  await attackUntil(performance.now() + firstMs);
  const first = await measure();
  await attackUntil(performance.now() + minutes * 60_000 - firstMs);
  const last = await measure();
  say(`${mode}: ${count} attacks in ${minutes} minutes`);
  for (const [index, before] of first.entries()) {
    const after = last[index] ?? before;
    say(
      `  ${before.name}: descriptors ${before.descriptors.length} → ${after.descriptors.length}, RSS ${mib(before)} → ${mib(after)} MiB`,
    );
    faults.push(...growth(mode, before, after));
  }
  return [...faults, ...ended(mode, services)];
}

function growth(mode: string, before: Footprint, after: Footprint): string[] {
  const at = `${mode}, ${before.name}`;
  const [opened, closed] = [without(after, before), without(before, after)];
  const descriptors =
    after.descriptors.length === before.descriptors.length
      ? []
      : [`${at}: the number of descriptors has changed: new ${opened.join(', ')}; gone ${closed.join(', ')}`];
  const memory = after.rssBytes - before.rssBytes > GROWTH_BYTES ? [`${at}: the memory has grown`] : [];
  return [...descriptors, ...memory];
}

/** Descriptors of one footprint that the other one lacks. */
function without({ descriptors }: Footprint, other: Footprint): string[] {
  const rest = [...other.descriptors];
  return descriptors.filter((name) => {
    const index = rest.indexOf(name);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}

function ended(mode: string, { daemon, gateway }: Services): string[] {
  const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
  return [daemon, gateway].some(hasEnded) ? [`${mode}: a service has ended`] : [];
}

function mib({ rssBytes }: Footprint): number {
  return Math.round(rssBytes / 1024 ** 2);
}
