import type { CdpSession } from '../cdp/cdp-session.ts';
import { type Key, keyOfCharacter, MODIFIER_BITS, withShift } from './keys.ts';

/** Milliseconds until the page must have taken one event. */
export const EVENT_MS = 5000;

/** Characters that are typed as keys at once; a longer run is inserted as one piece. */
export const KEYS_MAX = 2000;
/** Characters that are inserted at once. */
export const INSERT_MAX = 1024 ** 2;
/** Milliseconds until the page must have taken a text. */
const TEXT_MS = 30_000;

/** What editing keys do in a field: Chromium does it for keys of a keyboard, not for those of the protocol. */
const EDITING: Readonly<Record<string, string>> = {
  KeyA: 'selectAll',
  KeyC: 'copy',
  KeyX: 'cut',
  KeyV: 'paste',
  KeyZ: 'undo',
  KeyY: 'redo',
};

/** The keyboard of a tab, with the keys that it holds. */
export class Keyboard {
  readonly #session: CdpSession;
  readonly #held = new Map<string, Key>();

  constructor(session: CdpSession) {
    this.#session = session;
  }

  /** Bits of the modifiers that are held. */
  get modifiers(): number {
    return [...this.#held.values()].reduce((bits, { key }) => bits | (MODIFIER_BITS[key] ?? 0), 0);
  }

  /** @throws CdpFailure */
  async down(key: Key): Promise<void> {
    const isRepeated = this.#held.has(key.code);
    this.#held.set(key.code, key);
    await this.#send('down', this.#asHeld(key), isRepeated);
  }

  async up(key: Key): Promise<void> {
    this.#held.delete(key.code);
    await this.#send('up', this.#asHeld(key));
  }

  /** Shift that is held makes another character of a key. */
  #asHeld(key: Key): Key {
    return (this.modifiers & 8) === 0 ? key : withShift(key);
  }

  /** Presses the keys in this order, then releases them. */
  async chord(keys: readonly Key[]): Promise<void> {
    for (const key of keys) await this.down(key);
    for (const key of keys.toReversed()) await this.up(key);
  }

  /** Types what the layout has as keys and inserts the rest. @throws CdpFailure */
  async type(text: string): Promise<void> {
    for (const { run, isTyped } of runsOf(text)) {
      if (isTyped) await this.#press(run);
      else await this.insert(run);
    }
  }

  /** Inserts text as an input method does. @throws CdpFailure */
  async insert(text: string): Promise<void> {
    for (let at = 0; at < text.length; ) {
      // A surrogate pair stays whole.
      const isSplit = (text.codePointAt(at + INSERT_MAX - 1) ?? 0) > 0xff_ff;
      const end = at + INSERT_MAX - (isSplit ? 1 : 0);
      await this.#session.send('Input.insertText', { text: text.slice(at, end) }, TEXT_MS);
      at = end;
    }
  }

  /** Sends the keys one after another; the last answer means that the page has taken all. */
  async #press(characters: readonly string[] | string): Promise<void> {
    const sent: Promise<void>[] = [];
    for (const character of characters) {
      const key = keyOfCharacter(character);
      if (key) sent.push(this.#send('down', key), this.#send('up', key));
    }
    await Promise.all(sent);
  }

  async #send(
    end: 'down' | 'up',
    { key, code, keyCode, text, location = 0, shift }: Key,
    autoRepeat = false,
  ): Promise<void> {
    const held = this.modifiers;
    const modifiers = held | (shift ? 8 : 0);
    const isCommand = (held & 7) !== 0;
    const typed = end === 'down' && text !== undefined && !isCommand ? { text, unmodifiedText: text } : {};
    const command = end === 'down' && held === 2 ? EDITING[code] : undefined;
    await this.#session.send(
      'Input.dispatchKeyEvent',
      {
        type: end === 'up' ? 'keyUp' : 'text' in typed ? 'keyDown' : 'rawKeyDown',
        modifiers,
        key,
        code,
        windowsVirtualKeyCode: keyCode,
        location,
        autoRepeat,
        isKeypad: location === 3,
        ...typed,
        ...(command !== undefined && { commands: [command] }),
      },
      text === undefined ? EVENT_MS : TEXT_MS,
    );
  }
}

/** Splits a text into runs that the layout can type and runs that it cannot. */
function runsOf(text: string): { readonly run: string; readonly isTyped: boolean }[] {
  if (text.length > KEYS_MAX) return [{ run: text, isTyped: false }];
  const runs: { run: string; isTyped: boolean }[] = [];
  for (const character of text.replaceAll('\r\n', '\n')) {
    const isTyped = keyOfCharacter(character) !== undefined;
    const last = runs.at(-1);
    if (last?.isTyped === isTyped) last.run += character;
    else runs.push({ run: character, isTyped });
  }
  return runs;
}

/** The first character that no key of the layout types; undefined if keys type all. */
export function untypable(text: string): string | undefined {
  for (const character of text) if (keyOfCharacter(character) === undefined) return character;
  return undefined;
}
