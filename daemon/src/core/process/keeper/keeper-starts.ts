import type { Identity } from '../../account/identity.ts';
import { segmentBytesOf } from '../../output/byte-log-writer.ts';
import { type HostedProcess, type ProcessLimits, RESOURCES, StartFailure, type StartSpec } from '../process-host.ts';
import { startFailure } from '../start-failure.ts';
import type { KeeperConnection } from './keeper-connection.ts';
import { type Failed, keeperFailure } from './keeper-failure.ts';
import { FrameWriter, MAX_FRAME_BYTES, REQUEST, STDIN_KIND } from './keeper-frames.ts';

/** Kinds of limits beside the numbers of setrlimit(2), and what is added so that no value is negative. */
const NICENESS = { kind: 200, added: 20 } as const;
const OOM_SCORE_ADJ = { kind: 201, added: 1000 } as const;
const UNLIMITED = 2n ** 64n - 1n;
/** Bits of START. */
const PROMPT = 1;
const FORKS = 2;

interface Starting {
  readonly spec: StartSpec;
  readonly program: string;
  readonly resolve: (hosted: HostedProcess) => void;
  readonly reject: (failure: StartFailure) => void;
}

/** Starts that the keeper was asked for and has not answered. */
export class KeeperStarts {
  readonly #starting = new Map<string, Starting>();

  ids(): Iterable<string> {
    return this.#starting.keys();
  }

  /** Sends a START. @throws StartFailure if the keeper answers FAILED, or ends before it answers */
  send(connection: KeeperConnection, frame: FrameWriter, spec: StartSpec, program: string): Promise<HostedProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<HostedProcess>();
    this.#starting.set(spec.id, { spec, program, resolve, reject });
    connection.send(frame);
    return promise;
  }

  /** The first STATE: `resolve` settles the start with the process. Undefined if the start is not of this daemon. */
  started(id: string): Pick<Starting, 'spec' | 'resolve'> | undefined {
    const starting = this.#starting.get(id);
    this.#starting.delete(id);
    return starting;
  }

  /** FAILED. */
  failed({ id, stage, errno }: Failed): void {
    const starting = this.#starting.get(id);
    this.#starting.delete(id);
    starting?.reject(keeperFailure(stage, errno, starting.program, starting.spec.cwd));
  }

  /** The keeper ended: fails every start, and answers what the keeper may have started without saying so. */
  failAll(): StartSpec[] {
    const unanswered = [...this.#starting.values()];
    this.#starting.clear();
    for (const { reject } of unanswered) reject(new StartFailure('the process keeper ended', 126));
    return unanswered.map(({ spec }) => spec);
  }
}

/** A START. @throws StartFailure if a text contains a NUL, or all of them together are too long */
export function startFrame(spec: StartSpec, program: string, runner: Identity | undefined): FrameWriter {
  const {
    id,
    file,
    args,
    env,
    cwd,
    stdin,
    terminal,
    script,
    outputMaxBytes,
    record,
    isAsync,
    forks,
    limits = {},
  } = spec;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  if ([file, cwd, ...args, ...variables].some((text) => text.includes('\0'))) {
    throw startFailure(Object.assign(new Error(), { code: 'ERR_INVALID_ARG_VALUE' }), program, runner);
  }
  const frame = new FrameWriter(REQUEST.start)
    .text(id)
    .u8(STDIN_KIND[terminal ? 'terminal' : stdin])
    .u8((isAsync === true || terminal !== undefined ? PROMPT : 0) | (forks === true ? FORKS : 0))
    .u16(terminal?.cols ?? 0)
    .u16(terminal?.rows ?? 0)
    .u64(outputMaxBytes)
    .u32(segmentBytesOf(outputMaxBytes))
    .account(runner)
    .text(cwd)
    .text(program)
    .texts([file, ...args])
    .texts(variables)
    .flag(script !== undefined);
  if (script !== undefined) frame.text(script);
  putLimits(frame, limits);
  frame.text(record ?? '');
  if (frame.length <= MAX_FRAME_BYTES) return frame;
  throw startFailure(Object.assign(new Error(), { code: 'E2BIG' }), program, undefined);
}

function putLimits(frame: FrameWriter, { niceness, oomScoreAdj, resources = {} }: ProcessLimits): void {
  const values: [kind: number, soft: number, hard: number][] = [];
  if (niceness !== undefined) values.push([NICENESS.kind, niceness + NICENESS.added, 0]);
  if (oomScoreAdj !== undefined) values.push([OOM_SCORE_ADJ.kind, oomScoreAdj + OOM_SCORE_ADJ.added, 0]);
  for (const [name, number] of Object.entries(RESOURCES)) {
    const limit = resources[name as keyof typeof RESOURCES];
    if (limit !== undefined) values.push([number, limit.soft, limit.hard]);
  }
  frame.u8(values.length);
  for (const [kind, soft, hard] of values) frame.u8(kind).u64(numberOf(soft)).u64(numberOf(hard));
}

function numberOf(limit: number): number | bigint {
  return limit === Number.POSITIVE_INFINITY ? UNLIMITED : limit;
}
