import { execFile } from 'node:child_process';
import process from 'node:process';
import { mayInstall } from '../test-all/need.ts';
import { missingParts } from './doctor.ts';
import { imagesHint } from './images-hint.ts';
import { linkTo } from './log-line.ts';
import { inUse, untilAnswers, urlOf } from './ports.ts';
import { Service, type ServiceSpec, type Supervision } from './service.ts';

const READY_MS = 60_000;
/** Time for reaping in addition to the grace. */
const REAP_MS = 10_000;
/** npm forwards a Ctrl-C that the terminal has already delivered: two within this time count as one. */
const SAME_SIGNAL_MS = 500;

export interface LaunchSpec extends Supervision {
  /** In order of start and stop; the last one is public. */
  readonly services: readonly ServiceSpec[];
  /** Command that prints what is missing as JSON. */
  readonly doctor: readonly string[];
  /** Command that exits 0 if Docker answers; without it nothing is said of images. */
  readonly docker?: readonly string[];
  /** Command that ends the processes left by a service that did not stop in order. */
  readonly reap: readonly string[];
  readonly graceMs: number;
  /** Time for all services to answer; 60 s by default. */
  readonly readyMs?: number;
}

/**
 * Runs the services until a signal arrives or one of them fails permanently. When it resolves, no process of them is
 * left, and the caller is to exit.
 * @returns the exit code: 0 after a signal, else that of the service that failed
 */
export async function launch(spec: LaunchSpec): Promise<number> {
  const { say, human, stallSeconds } = spec;
  for (const { name, address } of spec.services) {
    if (!(await inUse(address))) continue;
    say(`sandbox: port ${address.port} of ${address.host}, wanted by the ${name}, is in use; choose another`);
    return 1;
  }
  const services = spec.services.map((service) => new Service(service, { say, human, stallSeconds }));
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

/** Prints what is missing and the service's address. Resolves, with an exit code, only if it is not ready in time. */
async function whenReady(spec: LaunchSpec, services: readonly Service[], stopped: AbortSignal): Promise<number> {
  const { readyMs = READY_MS } = spec;
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(readyMs)]);
  const hint = spec.docker ? imagesHint(spec.docker, mayInstall(), stopped) : [];
  const hints = Promise.all([missingParts(spec.doctor, stopped), hint]);
  // In sequence: the gateway is checked after the daemon answers.
  for (const [index, { name, address, health }] of spec.services.entries()) {
    try {
      await untilAnswers(urlOf(address) + health, (status) => status === 200, signal);
    } catch {
      if (!stopped.aborted) spec.say(`sandbox: no answer from the ${name} within ${readyMs / 1000} s`);
      return 1;
    }
    services[index]?.markReady();
  }
  const lines = (await hints).flat();
  const last = spec.services.at(-1);
  if (last && !stopped.aborted) {
    const url = urlOf(last.address);
    for (const line of [...lines, `ready on ${spec.human ? linkTo(url) : url}`]) spec.say(`sandbox: ${line}`);
  }
  return new Promise<never>(() => {});
}

/** Resolves with 0 at the first signal. The listeners stay, so that a late signal does not kill the process. */
function firstStopSignal(again: () => void): Promise<number> {
  const { promise: first, resolve } = Promise.withResolvers<number>();
  let firstAt: number | undefined;
  const onSignal = (): void => {
    firstAt ??= performance.now();
    if (performance.now() - firstAt > SAME_SIGNAL_MS) again();
    resolve(0);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  // Without its terminal or pipe the launcher has no user.
  process.stdout.on('error', onSignal);
  return first;
}

function aborter(): AbortController & Disposable {
  const controller = new AbortController();
  return Object.assign(controller, { [Symbol.dispose]: () => controller.abort() });
}
