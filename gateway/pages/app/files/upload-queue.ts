import { Refusal, wordsOf } from '../sandbox/api.ts';
import { type Place, within } from './place.ts';
import { upload } from './upload.ts';

export type UploadState = 'queued' | 'sending' | 'waiting' | 'done' | 'failed' | 'exists' | 'cancelled';

export interface UploadItem {
  readonly id: number;
  readonly name: string;
  readonly target: Place;
  readonly file: File;
  state: UploadState;
  sent: number;
  message: string;
  /** Bytes a second, over the last seconds. */
  rate: number;
  replaces: boolean;
  aborter: AbortController;
}

/** Where unfinished uploads are remembered: by target, with what identifies the same file. */
const STORE = 'sandbox-uploads';
const REMEMBERED = 50;

/** Uploads one file after another, in any view. */
class UploadQueue {
  readonly items: UploadItem[] = [];
  readonly #listeners = new Set<() => void>();
  #count = 0;
  #isRunning = false;

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param name path of the file below the directory */
  add(file: File, directory: Place, name: string): void {
    this.#count += 1;
    this.items.push({
      id: this.#count,
      name,
      target: within(directory, name),
      file,
      state: 'queued',
      sent: 0,
      message: '',
      rate: 0,
      replaces: false,
      aborter: new AbortController(),
    });
    this.#changed();
    void this.#run();
  }

  cancel(item: UploadItem): void {
    item.aborter.abort();
    item.state = 'cancelled';
    this.#changed();
  }

  /** Tries again; a file that exists is replaced. */
  retry(item: UploadItem): void {
    item.replaces ||= item.state === 'exists';
    item.aborter = new AbortController();
    item.state = 'queued';
    this.#changed();
    void this.#run();
  }

  /** Removes what is over. */
  clear(): void {
    const left = this.items.filter(({ state }) => state === 'queued' || state === 'sending' || state === 'waiting');
    this.items.splice(0, this.items.length, ...left);
    this.#changed();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (;;) {
      const next = this.items.find(({ state }) => state === 'queued');
      if (!next) break;
      await this.#send(next);
    }
    this.#isRunning = false;
  }

  async #send(item: UploadItem): Promise<void> {
    const { file, target, replaces, aborter } = item;
    const mark = markOf(file);
    const key = target.path_b64 ?? target.path;
    const begun = { at: performance.now(), sent: -1 };
    item.state = 'sending';
    this.#changed();
    try {
      const resumes = remembered()[key] === mark;
      remember(key, mark);
      await upload(file, target, {
        resumes,
        replaces,
        signal: aborter.signal,
        onProgress: (sent) => {
          if (begun.sent < 0) begun.sent = sent;
          const seconds = (performance.now() - begun.at) / 1000;
          item.sent = sent;
          item.rate = seconds > 1 ? (sent - begun.sent) / seconds : 0;
          this.#changed();
        },
        onWaiting: (isWaiting) => {
          item.state = isWaiting ? 'waiting' : 'sending';
          this.#changed();
        },
      });
      item.sent = file.size;
      item.state = 'done';
      forget(key);
    } catch (error) {
      if (aborter.signal.aborted) item.state = 'cancelled';
      else if (error instanceof Refusal && error.status === 412) item.state = 'exists';
      else [item.state, item.message] = ['failed', wordsOf(error)];
    }
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export const uploads = new UploadQueue();

function markOf({ size, lastModified }: File): string {
  return `${size}:${lastModified}`;
}

function remembered(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

function remember(key: string, mark: string): void {
  const kept = Object.entries(remembered()).filter(([other]) => other !== key);
  keep([...kept.slice(1 - REMEMBERED), [key, mark]]);
}

function forget(key: string): void {
  keep(Object.entries(remembered()).filter(([other]) => other !== key));
}

/** A browser that stores nothing begins such an upload again. */
function keep(entries: readonly (readonly [string, string])[]): void {
  try {
    localStorage.setItem(STORE, JSON.stringify(Object.fromEntries(entries)));
  } catch {
    return;
  }
}
