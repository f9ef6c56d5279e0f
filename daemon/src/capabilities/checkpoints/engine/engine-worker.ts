import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { CallQueue } from './call-queue.ts';
import { Engine } from './engine.ts';
import type { EngineAnswer, EngineCalls, EngineError, EngineRequest, EngineTerms } from './engine-protocol.ts';

const TASK = 'checkpoints';
/** Bytes of objects, in MiB: a tree of a million entries. */
const MEMORY_MIB = 2048;

/** Starts the engine in a thread of its own: hashes and comparisons take long. */
export function startEngine(terms: EngineTerms): Worker {
  return new Worker(new URL(import.meta.url), {
    workerData: { [TASK]: terms },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
}

type Handlers = {
  readonly [Call in keyof EngineCalls]: (
    takes: EngineCalls[Call]['takes'],
    signal?: AbortSignal,
  ) => EngineCalls[Call]['returns'] | Promise<EngineCalls[Call]['returns']>;
};

function handlersOf(engine: Engine): Handlers {
  return {
    create: (task, signal) => engine.create(task, signal),
    createAuto: (task) => engine.createAuto(task),
    import: (task, signal) => engine.importArchive(task, signal),
    record: (id) => engine.record(id),
    list: () => engine.records,
    remove: (id) => {
      engine.remove(id);
      return null;
    },
    diff: (task, signal) => engine.diff(task, signal),
    diffFile: (task, signal) => engine.diffFile(task, signal),
    restore: (task, signal) => engine.restore(task, signal),
    file: ({ id, path }) => engine.file(id, path),
    directories: (id) => engine.directories(id),
    objects: (hash) => engine.objects(hash),
    piece: (hash) => new Uint8Array(engine.piece(hash)),
    usage: () => ({ bytes: engine.bytes, count: engine.count }),
  };
}

/** Calls that change the store, or read what another one could remove: one after another. */
const IN_ORDER: ReadonlySet<keyof EngineCalls> = new Set([
  'create',
  'createAuto',
  'import',
  'remove',
  'diff',
  'diffFile',
  'restore',
]);

function serve(port: MessagePort, terms: EngineTerms): void {
  const handlers = handlersOf(new Engine(terms));
  const queue = new CallQueue();
  const answer = async (number: number, returning: () => unknown): Promise<void> => {
    try {
      port.postMessage({ number, returns: await returning() } satisfies EngineAnswer);
    } catch (error) {
      port.postMessage({ number, error: errorOf(error) } satisfies EngineAnswer);
    }
  };
  port.on('message', (request: EngineRequest) => {
    if ('leaves' in request) {
      queue.leave(request.leaves);
      return;
    }
    const { number, call, takes } = request;
    // The types of both ends come from `EngineCalls`.
    const handle = handlers[call] as (takes: unknown, signal?: AbortSignal) => unknown;
    const isInOrder = IN_ORDER.has(call);
    void answer(number, () => (isInOrder ? queue.run(number, (signal) => handle(takes, signal)) : handle(takes)));
  });
}

function errorOf(error: unknown): EngineError {
  if (!(error instanceof SandboxError)) {
    return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const { field, hint, retryAfter } = error.details;
  const message = error.messageNaming(() => '').trim();
  return {
    kind: error.kind,
    message,
    details: { ...(field && { field }), ...(hint && { hint }), ...(retryAfter && { retryAfter }) },
  };
}

// This module is its own worker: its bundle is one file, wherever that lies.
if (!isMainThread && parentPort !== null && workerData?.[TASK] !== undefined) serve(parentPort, workerData[TASK]);
