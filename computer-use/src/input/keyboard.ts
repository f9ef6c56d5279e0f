import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { XSession } from '../x11/x-session.ts';
import { meaningOf } from './key-symbols.ts';
import { Layout, type Stroke } from './layout.ts';
import { pointerOf } from './pointer.ts';
import type { XInput } from './x-input.ts';

/** Bit of Caps Lock in the state of the keyboard (X protocol, SETofKEYBUTMASK). */
const LOCK = 2;

/** The keyboard of the display. */
export class Keyboard implements Disposable {
  readonly #session: XSession;
  readonly #listening: Disposable;
  #layout: Promise<Layout> | undefined;

  constructor(session: XSession) {
    this.#session = session;
    this.#listening = session.on('MappingNotify', () => {
      this.#layout = undefined;
    });
  }

  layout(): Promise<Layout> {
    if (this.#layout !== undefined) return this.#layout;
    const read = Layout.read(this.#session);
    this.#layout = read;
    read.catch(() => {
      this.#layout = undefined;
    });
    return read;
  }

  /** The keycode of a named key. @throws SandboxError `invalid` for a key that the layout has not got */
  async stroke(name: string): Promise<Stroke> {
    const meaning = meaningOf(name);
    const stroke = meaning && (await this.layout()).strokeOf(meaning);
    if (stroke) return stroke;
    throw new SandboxError('invalid', `the keyboard layout has no key ${JSON.stringify(name.slice(0, 100))}`, {
      hint: 'TYPING types any character',
    });
  }

  /** Whether Caps Lock is on. */
  async isLocked(): Promise<boolean> {
    return ((await pointerOf(this.#session)).keyMask & LOCK) !== 0;
  }

  /** Presses and releases a key with the modifiers that select its symbol. */
  async type(input: XInput, strokes: readonly Stroke[]): Promise<void> {
    const [layout, isLocked] = await Promise.all([this.layout(), this.isLocked()]);
    for (const stroke of strokes) {
      const held = modifiersOf(layout, stroke, isLocked);
      for (const keycode of held) input.key(keycode, true);
      input.key(stroke.keycode, true);
      input.key(stroke.keycode, false);
      for (const keycode of held.toReversed()) input.key(keycode, false);
    }
    await input.sync();
  }

  /** Presses the keys in their order, then releases them. In a chord a capital letter is its key: Ctrl+C is Ctrl+c. */
  async chord(input: XInput, strokes: readonly Stroke[]): Promise<void> {
    const layout = await this.layout();
    const isAlone = strokes.length === 1;
    const keycodes = strokes.flatMap((stroke) =>
      stroke.isLetter && !isAlone ? [stroke.keycode] : [...modifiersOf(layout, stroke, false), stroke.keycode],
    );
    for (const keycode of keycodes) input.key(keycode, true);
    for (const keycode of keycodes.toReversed()) input.key(keycode, false);
    await input.sync();
  }

  async hold(input: XInput, { keycode }: Stroke, isDown: boolean): Promise<void> {
    input.key(keycode, isDown);
    await input.sync();
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }
}

/** Keycodes of the modifiers that are held for a stroke. */
function modifiersOf(layout: Layout, { shift, level3, isLetter }: Stroke, isLocked: boolean): number[] {
  const wantsShift = isLetter && isLocked ? !shift : shift;
  return [wantsShift ? layout.shift : undefined, level3 ? layout.level3 : undefined].filter(
    (keycode) => keycode !== undefined,
  );
}
