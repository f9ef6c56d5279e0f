import { parentPort, workerData } from 'node:worker_threads';
import { HeapWatch } from './heap-watch.ts';
import { ScreenModel } from './screen-model.ts';
import type { ScreenAnswer, ScreenRequest } from './screen-protocol.ts';
import { WorkMark } from './work-mark.ts';

const models = new Map<number, ScreenModel>();
const mark = new WorkMark(workerData as SharedArrayBuffer);
const heap = new HeapWatch();
let turn: Promise<void> = Promise.resolve();

function answer(message: ScreenAnswer): void {
  parentPort?.postMessage(message);
}

/** One piece of work at a time, so that the mark names the session whose work does not end. */
function inTurn(session: number, work: (model: ScreenModel) => void | Promise<void>): Promise<void> {
  turn = turn.then(async () => {
    const model = models.get(session);
    if (model === undefined) return;
    mark.begin(session);
    try {
      await work(model);
    } catch {
      giveUp(session);
    }
    mark.end();
    if (!heap.isFull()) return;
    const weights = [...models].map(([id, other]) => ({ id, weight: other.weight() }));
    const [heaviest] = weights.sort((a, b) => b.weight - a.weight);
    if (heaviest) giveUp(heaviest.id);
  });
  return turn;
}

function giveUp(session: number): void {
  models.get(session)?.dispose();
  models.delete(session);
  answer({ id: 0, failed: session });
}

async function write(session: number, bytes: Uint8Array): Promise<void> {
  let pieces: string[] = [];
  await inTurn(session, (model) => {
    pieces = model.pieces(bytes);
  });
  for (const piece of pieces) await inTurn(session, (model) => model.draw(piece));
}

async function onRequest(request: ScreenRequest): Promise<void> {
  const { session } = request;
  if (request.type === 'open') {
    models.set(session, new ScreenModel(request.cols, request.rows));
  } else if (request.type === 'write') {
    await write(session, request.bytes);
    answer({ id: request.id });
  } else if (request.type === 'look') {
    const { id, format } = request;
    let look: ScreenAnswer = { id };
    await inTurn(session, (model) => {
      look = { id, look: model.look(format) };
    });
    answer(look);
  } else if (request.type === 'resize') {
    await inTurn(session, (model) => model.resize(request.cols, request.rows));
  } else {
    models.get(session)?.dispose();
    models.delete(session);
  }
}

parentPort?.on('message', (request: ScreenRequest) => void onRequest(request));
