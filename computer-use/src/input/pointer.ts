import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause } from '@sandbox/api/wait.ts';
import { screenSize } from '../screen/screen-size.ts';
import type { XSession } from '../x11/x-session.ts';
import type { XInput } from './x-input.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

const BUTTONS = { left: 1, middle: 2, right: 3 } as const;
export type ButtonName = keyof typeof BUTTONS;
const WHEEL = { up: 4, down: 5, left: 6, right: 7 } as const;
/** Between two clicks: Chromium takes clicks of one millisecond for one. */
const CLICK_GAP_MS = 10;
const NOTCHES_MAX = 100;
/** A drag moves in steps with pauses, since a target accepts it by messages of its own between them (XDND). */
const DRAG_STEPS = 12;
const DRAG_PAUSE_MS = 8;

/** Where the pointer is and which modifiers are on. */
export function pointerOf(session: XSession): Promise<{ rootX: number; rootY: number; keyMask: number }> {
  return session.query((done) => session.client.QueryPointer(session.root, done));
}

/** The pointer of the display. Checks come before the first event. */
export class Pointer {
  readonly #session: XSession;
  readonly #input: XInput;

  constructor(session: XSession, input: XInput) {
    this.#session = session;
    this.#input = input;
  }

  /** A whole pixel of the screen. @throws SandboxError `invalid` for a point beyond it */
  async place({ x, y }: Point): Promise<Point> {
    const { width, height } = await screenSize(this.#session);
    const [column, row] = [Math.floor(x), Math.floor(y)];
    if (column >= 0 && row >= 0 && column < width && row < height) return { x: column, y: row };
    throw new SandboxError('invalid', `${x},${y} is outside the screen of ${width}×${height} pixels`, {
      hint: 'coordinates are pixels of GET screenshot at scale 1',
    });
  }

  /** The pixel that is that far away, within the screen. */
  async moved(by: Point): Promise<Point> {
    const [{ rootX, rootY }, { width, height }] = await Promise.all([
      pointerOf(this.#session),
      screenSize(this.#session),
    ]);
    const clamp = (value: number, size: number): number => Math.min(Math.max(Math.round(value), 0), size - 1);
    return { x: clamp(rootX + by.x, width), y: clamp(rootY + by.y, height) };
  }

  move({ x, y }: Point): Promise<void> {
    this.#input.move(x, y);
    return this.#input.sync();
  }

  async click(at: Point | undefined, button: ButtonName, count: number): Promise<void> {
    if (at) this.#input.move(at.x, at.y);
    for (let clicks = 0; clicks < count; clicks += 1) {
      if (clicks > 0) await this.#gap();
      this.#input.button(BUTTONS[button], true);
      this.#input.button(BUTTONS[button], false);
    }
    await this.#input.sync();
  }

  async #gap(): Promise<void> {
    await this.#input.sync();
    await pause(CLICK_GAP_MS);
  }

  hold(button: ButtonName, isDown: boolean): Promise<void> {
    this.#input.button(BUTTONS[button], isDown);
    return this.#input.sync();
  }

  async drag(to: Point, signal: AbortSignal): Promise<void> {
    const { rootX, rootY } = await pointerOf(this.#session);
    this.#input.button(BUTTONS.left, true);
    try {
      for (let step = 1; step <= DRAG_STEPS; step += 1) {
        const part = step / DRAG_STEPS;
        this.#input.move(Math.round(rootX + (to.x - rootX) * part), Math.round(rootY + (to.y - rootY) * part));
        await this.#input.sync();
        await pause(DRAG_PAUSE_MS, signal);
      }
    } finally {
      this.#input.button(BUTTONS.left, false);
    }
    await this.#input.sync();
  }

  async scroll(dx: number, dy: number): Promise<void> {
    this.#turn(dx > 0 ? WHEEL.right : WHEEL.left, dx);
    this.#turn(dy > 0 ? WHEEL.down : WHEEL.up, dy);
    await this.#input.sync();
  }

  #turn(button: number, notches: number): void {
    const count = Math.min(Math.round(Math.abs(notches)), NOTCHES_MAX);
    for (let turned = 0; turned < count; turned += 1) {
      this.#input.button(button, true);
      this.#input.button(button, false);
    }
  }
}
