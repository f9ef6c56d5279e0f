import { LatestOnly } from '../../../core/latest-only.ts';
import type { TerminalSize } from '../../../core/process/process-host.ts';
import type { Screen } from '../screen/screen.ts';
import type { SessionEvents } from './session-events.ts';
import type { SessionRecord } from './session-record.ts';
import type { Shell } from './shell.ts';

/** Milliseconds between two sizes that a socket sends: each costs a write to disk and a screen that is laid out. */
const RESIZE_MS = 100;

interface SizedSession {
  readonly record: SessionRecord;
  readonly shell: Shell;
  readonly screen: Screen;
  readonly events: SessionEvents;
  /** Writes the record. */
  readonly save: () => void;
}

/** The size of a terminal: of its program, its screen and its record. */
export class SessionSize {
  readonly #session: SizedSession;
  readonly #latest: LatestOnly<TerminalSize>;

  constructor(session: SizedSession) {
    this.#session = session;
    this.#latest = new LatestOnly<TerminalSize>(RESIZE_MS, (size) => this.#keep(size));
  }

  /** Applies the size now. */
  apply(size: TerminalSize): void {
    const waits = this.#latest.drop();
    if (this.#resizeShell(size) || waits) this.#keep(size);
  }

  /** The program gets each size, so that what is typed after it finds it; disk and screen get the last one soon. */
  applySoon(size: TerminalSize): void {
    if (this.#resizeShell(size)) this.#latest.push(size);
  }

  /** Forgets a size that waits. */
  drop(): void {
    this.#latest.drop();
  }

  /** False if it has the size. */
  #resizeShell(size: TerminalSize): boolean {
    const { record, shell, events } = this.#session;
    if (size.cols === record.cols && size.rows === record.rows) return false;
    Object.assign(record, size);
    shell.resize(size);
    events.resized();
    return true;
  }

  #keep(size: TerminalSize): void {
    this.#session.screen.resize(size);
    this.#session.save();
  }
}
