import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { timeoutSignal } from '@sandbox/api/wait.ts';

const ANSWER_MS = 2000;
/** Milliseconds that a program may take from its start to its first answer. */
const START_MS = 30_000;
const MAX_PROGRAMS = 64;
/** States in which a program runs (supervisord's names); one that starts again and again is mostly in others. */
const UP: ReadonlySet<string> = new Set(['STARTING', 'RUNNING']);

interface Start {
  readonly pid: string;
  readonly seenAt: number;
  hasAnswered: boolean;
}

/**
 * The programs that the image promises, from the file of its supervisor: one in a line, `NAME STATE PID [ADDRESS]`, with
 * the URL, or `unix:SOCKET:PATH`, that a program has to answer.
 */
export class SupervisedPrograms {
  readonly #file: string | undefined;
  readonly #starts = new Map<string, Start>();

  /** @param file undefined if no supervisor writes one */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  /** The programs that do not run or do not answer, each with its reason. */
  async faults(): Promise<string[]> {
    if (this.#file === undefined) return [];
    const text = await readFile(this.#file, 'utf8').catch(() => undefined);
    if (text === undefined) return [`${this.#file} cannot be read`];
    const lines = text.split('\n', MAX_PROGRAMS).filter((line) => line !== '');
    const faults = await Promise.all(lines.map((line) => this.#faultOf(line)));
    return faults.filter((fault) => fault !== undefined);
  }

  async #faultOf(line: string): Promise<string | undefined> {
    const [name = '', state = '', pid = '', address] = line.split(' ');
    if (!UP.has(state)) return `${name} is ${state}`;
    if (address === undefined) return undefined;
    const start = this.#startOf(name, pid);
    if (await answers(address)) {
      start.hasAnswered = true;
      return undefined;
    }
    const isStarting = !start.hasAnswered && performance.now() - start.seenAt < START_MS;
    return isStarting ? undefined : `${name} does not answer`;
  }

  #startOf(name: string, pid: string): Start {
    const known = this.#starts.get(name);
    if (known?.pid === pid) return known;
    const start = { pid, seenAt: performance.now(), hasAnswered: false };
    this.#starts.set(name, start);
    return start;
  }
}

/** Whether a program answers with a status below 400. */
function answers(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const asked = request({ ...destinationOf(address), agent: false, signal: timeoutSignal(ANSWER_MS) }, (response) => {
    resolve((response.statusCode ?? 500) < 400);
    asked.destroy();
  });
  asked.on('error', () => resolve(false)).end();
  return promise;
}

function destinationOf(address: string): Readonly<Record<string, string>> {
  if (address.startsWith('unix:')) {
    const [, socketPath = '', path = '/'] = address.split(':');
    return { socketPath, path };
  }
  const { hostname, pathname, port } = new URL(address);
  // Chromium accepts only an IP address or `localhost`.
  return { host: hostname.replace(/[[\]]/g, ''), port, path: pathname };
}
