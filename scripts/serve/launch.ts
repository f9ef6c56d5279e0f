import { execFile } from 'node:child_process';
import process from 'node:process';
import { missingParts } from './doctor.ts';
import { inUse, untilAnswers, urlOf } from './ports.ts';
import { Service, type ServiceSpec } from './service.ts';

const START_PATIENCE_MS = 60_000;
/** What reaping gets beyond the grace. */
const REAP_MS = 10_000;
/** npm hands a Ctrl-C on that the terminal has delivered already: within this time two are one. */
const SAME_SIGNAL_MS = 500;

export interface LaunchSpec {
  /** In the order in which they are started and stopped; the last one is the public one. */
  readonly services: readonly ServiceSpec[];
  /** Command that prints what is missing as JSON. */
  readonly doctor: readonly string[];
  /** Command that ends what a service that did not end in order has left running. */
  readonly reap: readonly string[];
  readonly graceMs: number;
  readonly human: boolean;
  readonly say: (line: string) => void;
}

/**
 * Runs the services until a signal comes or one of them fails for good. Nothing of them is left when it resolves, and
 * the process is to end then.
 * @returns the exit code: 0 after a signal, else that of the service that failed
 */
export async function launch(spec: LaunchSpec): Promise<number> {
  const { say, human } = spec;
  for (const { name, address } of spec.services) {
    if (!(await inUse(address))) continue;
    say(`sandbox: port ${address.port} of ${address.host}, wanted by the ${name}, is in use; choose another`);
    return 1;
  }
  const services = spec.services.map((service) => new Service(service, { say, human }));
  const stopped = firstStopSignal(() => {
    for (const service of services) service.kill();
  });
  using starting = aborter();
  for (const service of services) service.start();
  const ready = whenReady(spec, services, starting.signal);
  const code = await Promise.race([stopped, ready, ...services.map(({ failed }) => failed)]);
  starting.abort();
  await Promise.all(services.map((service) => service.stop(spec.graceMs)));
  if (!services.every(({ endedInOrder }) => endedInOrder)) await reap(spec);
  return code;
}

function reap({ reap: [program = process.execPath, ...args], graceMs }: LaunchSpec): Promise<void> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: graceMs + REAP_MS }, () => resolve());
  });
}

/** Says what is missing and where the service is. Resolves, with an exit code, only where it does not come up in time. */
async function whenReady(spec: LaunchSpec, services: readonly Service[], stopped: AbortSignal): Promise<number> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(START_PATIENCE_MS)]);
  const missing = missingParts(spec.doctor, stopped);
  // One after the other: a gateway is asked once there is a daemon behind it.
  for (const [index, { name, address, health }] of spec.services.entries()) {
    try {
      await untilAnswers(urlOf(address) + health, (status) => status === 200, signal);
    } catch {
      if (!stopped.aborted) spec.say(`sandbox: no answer from the ${name} within ${START_PATIENCE_MS / 1000} s`);
      return 1;
    }
    services[index]?.markReady();
  }
  const lines = await missing;
  const last = spec.services.at(-1);
  if (last && !stopped.aborted) {
    for (const line of [...lines, `ready on ${urlOf(last.address)}`]) spec.say(`sandbox: ${line}`);
  }
  return new Promise<never>(() => {});
}

/** Resolves with 0 at the first signal. It listens to the end of the process: one that comes late must not be its death. */
function firstStopSignal(again: () => void): Promise<number> {
  const { promise: first, resolve } = Promise.withResolvers<number>();
  let firstAt: number | undefined;
  const onSignal = (): void => {
    firstAt ??= performance.now();
    if (performance.now() - firstAt > SAME_SIGNAL_MS) again();
    resolve(0);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  // A terminal or a pipe that is gone leaves nobody to serve.
  process.stdout.on('error', onSignal);
  return first;
}

function aborter(): AbortController & Disposable {
  const controller = new AbortController();
  return Object.assign(controller, { [Symbol.dispose]: () => controller.abort() });
}
