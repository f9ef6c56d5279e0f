import type { CdpSession } from '../cdp/cdp-session.ts';
import type { Protocol } from '../cdp/cdp-types.ts';
import { EVENT_MS, type Keyboard } from './keyboard.ts';

export type MouseButton = 'left' | 'right' | 'middle';

const BITS: Readonly<Record<MouseButton, number>> = { left: 1, right: 2, middle: 4 };

type MouseEvent = Protocol.Input.DispatchMouseEventRequest;

/** The pointer of a tab: where it is and which buttons it holds. */
export class Mouse {
  readonly #session: CdpSession;
  readonly #keyboard: Keyboard;
  readonly #held = new Set<MouseButton>();
  x = 0;
  y = 0;

  constructor(session: CdpSession, keyboard: Keyboard) {
    this.#session = session;
    this.#keyboard = keyboard;
  }

  /** @throws CdpFailure */
  async move(x: number, y: number): Promise<void> {
    this.x = x;
    this.y = y;
    await this.#send({ type: 'mouseMoved', button: this.#heldButton() });
  }

  /** @param clickCount 2 for the second press of a double click */
  async down(button: MouseButton, clickCount = 1): Promise<void> {
    this.#held.add(button);
    await this.#send({ type: 'mousePressed', button, clickCount });
  }

  async up(button: MouseButton, clickCount = 1): Promise<void> {
    this.#held.delete(button);
    await this.#send({ type: 'mouseReleased', button, clickCount });
  }

  /** Presses and releases that many times; each click is a click of one, then two, then three. */
  async click(button: MouseButton, count: number): Promise<void> {
    for (let clickCount = 1; clickCount <= count; clickCount += 1) {
      await Promise.all([this.down(button, clickCount), this.up(button, clickCount)]);
    }
  }

  /** @param deltaX pixels to the right @param deltaY pixels down */
  async wheel(deltaX: number, deltaY: number): Promise<void> {
    await this.#send({ type: 'mouseWheel', deltaX, deltaY });
  }

  #heldButton(): MouseButton | 'none' {
    return [...this.#held][0] ?? 'none';
  }

  async #send(event: Omit<MouseEvent, 'x' | 'y' | 'modifiers' | 'buttons'>): Promise<void> {
    const buttons = [...this.#held].reduce((bits, button) => bits | BITS[button], 0);
    const { x, y } = this;
    const { modifiers } = this.#keyboard;
    await this.#session.send('Input.dispatchMouseEvent', { ...event, x, y, modifiers, buttons }, EVENT_MS);
  }
}
