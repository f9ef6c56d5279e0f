import { errnoName } from '../../core/errno-name.ts';
import { type ByteName, bytesOf } from '../../core/files/byte-name.ts';
import { IN, type InotifyListener, type InotifyReader } from '../../core/process/keeper/inotify-reader.ts';
import { isWatchLimit } from './watch-limits.ts';

const NAMES = IN.create | IN.delete | IN.movedFrom | IN.movedTo | IN.deleteSelf | IN.moveSelf;

/** An event of the root's name in its parent directory. */
export type NameEvent = (mask: number) => void;

/** The directories on the path of a root, each watched for the one name that continues the path. */
export class RootPath {
  readonly #reader: InotifyReader;
  readonly #steps: readonly Step[];

  /** `onMoved`: the path leads elsewhere now. `onLast`: an event of the root's own name. */
  constructor(
    reader: InotifyReader,
    root: ByteName,
    { onMoved, onLast }: { readonly onMoved: () => void; readonly onLast: NameEvent },
  ) {
    this.#reader = reader;
    const names = root.split('/').filter((name) => name !== '');
    this.#steps = names.map((name, index) => {
      const isLast = index === names.length - 1;
      const directory = `/${names.slice(0, index).join('/')}`;
      return new Step(directory, name, isLast ? onLast : onMoved, onMoved);
    });
  }

  /**
   * Watches the existing part of the path. `files`: the last name may be a file, with changes of content and mode.
   * @throws InotifyFailure at the limit of watches
   */
  async follow(files: boolean): Promise<void> {
    let isBroken = false;
    for (const [index, step] of this.#steps.entries()) {
      const content = files && index === this.#steps.length - 1 ? IN.modify | IN.attrib : 0;
      const watch = isBroken ? undefined : await this.#add(step, NAMES | IN.onlyDir | content);
      if (watch === 'gone') isBroken = true;
      const now = typeof watch === 'number' ? watch : undefined;
      if (step.watch !== undefined && step.watch !== now) this.#reader.drop(step.watch, step);
      step.watch = now;
    }
  }

  close(): void {
    for (const step of this.#steps) {
      if (step.watch !== undefined) this.#reader.drop(step.watch, step);
      step.watch = undefined;
    }
  }

  /** Undefined if the directory may not be read; the path may continue below it. */
  async #add(step: Step, mask: number): Promise<number | 'gone' | undefined> {
    try {
      return await this.#reader.add(bytesOf(step.directory), mask, step);
    } catch (error) {
      if (isWatchLimit(error) || this.#reader.isGone) throw error;
      return errnoName(error) === 'EACCES' ? undefined : 'gone';
    }
  }
}

class Step implements InotifyListener {
  readonly directory: ByteName;
  watch: number | undefined;
  readonly #name: ByteName;
  readonly #onName: NameEvent;
  readonly #onMoved: () => void;

  constructor(directory: ByteName, name: ByteName, onName: NameEvent, onMoved: () => void) {
    this.directory = directory;
    this.#name = name;
    this.#onName = onName;
    this.#onMoved = onMoved;
  }

  onInotify(mask: number, _cookie: number, name: ByteName): void {
    if ((mask & IN.ignored) !== 0) this.watch = undefined;
    if (name === this.#name) this.#onName(mask);
    else if (name === '' && (mask & (IN.ignored | IN.deleteSelf | IN.moveSelf)) !== 0) this.#onMoved();
  }
}
