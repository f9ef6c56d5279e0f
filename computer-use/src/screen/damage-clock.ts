import { randomBytes } from 'node:crypto';
import type { XExtension } from 'x11';
import type { XSession } from '../x11/x-session.ts';

/** Reports the first drawing after each `Subtract` (DAMAGE protocol, §5: NonEmpty). */
const NON_EMPTY = 3;

/** Counts drawings on the screen by DAMAGE, so that an unchanged screen is proven without reading it. */
export class DamageClock {
  readonly #session: XSession;
  readonly #damage: XExtension;
  readonly #id: number;
  /** Differs for each connection: counts of two X servers say nothing about each other. */
  readonly #epoch = randomBytes(6).toString('hex');
  #drawings = 0;

  private constructor(session: XSession, damage: XExtension) {
    this.#session = session;
    this.#damage = damage;
    this.#id = session.client.AllocID();
    session.on('DamageNotify', () => {
      this.#drawings += 1;
    });
    session.on('RRScreenChangeNotify', () => {
      this.#drawings += 1;
    });
    damage['Create'](this.#id, session.root, NON_EMPTY);
    session.extension('randr')?.['SelectInput'](session.root, 1);
  }

  /** The clock of a connection; undefined if the display has no DAMAGE. */
  static open(session: XSession): DamageClock | undefined {
    const damage = session.extension('damage');
    return damage && new DamageClock(session, damage);
  }

  /** The state of the screen now; while it is the same, nothing was drawn. */
  async now(): Promise<string> {
    await this.#session.sync();
    return this.#state();
  }

  /** The state before a picture is read: what is drawn from now on changes it. */
  async mark(): Promise<string> {
    this.#damage['Subtract'](this.#id, 0, 0);
    return this.now();
  }

  #state(): string {
    return `${this.#epoch}-${this.#drawings.toString(36)}`;
  }
}
