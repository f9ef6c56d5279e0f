import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { XExtension } from 'x11';
import type { XSession } from '../x11/x-session.ts';

const KEY = { down: 2, up: 3 } as const;
const BUTTON = { down: 4, up: 5 } as const;
const MOTION = 6;

/** Input events of the display by XTEST; remembers what is held, so that it can be released. */
export class XInput {
  readonly #session: XSession;
  readonly #xtest: XExtension;
  readonly #keys = new Set<number>();
  readonly #buttons = new Set<number>();

  /** @throws SandboxError `unavailable` if the display has no XTEST */
  constructor(session: XSession) {
    const xtest = session.extension('xtest');
    if (xtest === undefined) {
      throw new SandboxError('unavailable', 'the display takes no input: it has no XTEST', {
        hint: 'start the X server with the extension XTEST',
      });
    }
    this.#session = session;
    this.#xtest = xtest;
  }

  key(keycode: number, isDown: boolean): void {
    this.#fake(isDown ? KEY.down : KEY.up, keycode);
    if (isDown) this.#keys.add(keycode);
    else this.#keys.delete(keycode);
  }

  button(number: number, isDown: boolean): void {
    this.#fake(isDown ? BUTTON.down : BUTTON.up, number);
    if (isDown) this.#buttons.add(number);
    else this.#buttons.delete(number);
  }

  move(x: number, y: number): void {
    this.#xtest['FakeInput'](MOTION, 0, 0, this.#session.root, x, y);
  }

  /** Resolves when the display has taken the events. */
  sync(): Promise<void> {
    return this.#session.sync();
  }

  /** Releases the keys and buttons that are held. */
  async release(): Promise<void> {
    for (const keycode of [...this.#keys]) this.key(keycode, false);
    for (const button of [...this.#buttons]) this.button(button, false);
    await this.sync();
  }

  #fake(type: number, detail: number): void {
    this.#xtest['FakeInput'](type, detail, 0, this.#session.root, 0, 0);
  }
}
