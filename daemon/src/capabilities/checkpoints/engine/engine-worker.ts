import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
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
  ) => EngineCalls[Call]['returns'] | Promise<EngineCalls[Call]['returns']>;
};

function handlersOf(engine: Engine): Handlers {
  return {
    create: (task) => engine.create(task),
    list: () => engine.records,
    remove: (id) => {
      engine.remove(id);
      return null;
    },
    diff: (task) => engine.diff(task),
    restore: (task) => engine.restore(task),
    file: ({ id, path }) => engine.file(id, path),
    piece: (hash) => new Uint8Array(engine.piece(hash)),
    usage: () => ({ bytes: engine.bytes, count: engine.records.length }),
  };
}

/** Calls that change the store, or read what another one could remove: one after another. */
const IN_ORDER: ReadonlySet<keyof EngineCalls> = new Set(['create', 'remove', 'diff', 'restore']);

function serve(port: MessagePort, terms: EngineTerms): void {
  const handlers = handlersOf(new Engine(terms));
  let last: Promise<unknown> = Promise.resolve();
  const answer = async ({ number, call, takes }: EngineRequest): Promise<void> => {
    try {
      // The types of both ends come from `EngineCalls`.
      const handle = handlers[call] as (takes: unknown) => unknown;
      port.postMessage({ number, returns: await handle(takes) } satisfies EngineAnswer);
    } catch (error) {
      port.postMessage({ number, error: errorOf(error) } satisfies EngineAnswer);
    }
  };
  port.on('message', (request: EngineRequest) => {
    if (IN_ORDER.has(request.call)) last = last.then(() => answer(request));
    else void answer(request);
  });
}

function errorOf(error: unknown): EngineError {
  if (!(error instanceof SandboxError)) {
    return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const { field, hint } = error.details;
  const message = error.messageNaming(() => '').trim();
  return { kind: error.kind, message, details: { ...(field && { field }), ...(hint && { hint }) } };
}

// This module is its own worker: its bundle is one file, wherever that lies.
if (!isMainThread && parentPort !== null && workerData?.[TASK] !== undefined) serve(parentPort, workerData[TASK]);
