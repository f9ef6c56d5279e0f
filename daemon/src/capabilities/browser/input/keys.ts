import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** A key of the US layout. */
export interface Key {
  /** `KeyboardEvent.key` (UI Events). */
  readonly key: string;
  readonly code: string;
  /** Windows virtual key code, which `keyCode` shows. */
  readonly keyCode: number;
  /** What it types; absent for keys that type nothing. */
  readonly text?: string;
  /** 1: left, 2: right, 3: keypad. */
  readonly location?: number;
  readonly shift?: boolean;
}

/** Bits of the protocol's `modifiers`, by `KeyboardEvent.key`. */
export const MODIFIER_BITS: Readonly<Record<string, number>> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

const named = new Map<string, Key>();
const characters = new Map<string, Key>();

function add(names: string, key: Key): void {
  for (const name of names.split(' ')) named.set(name.toLowerCase(), key);
}

function addCharacters(plain: string, shifted: string, code: string, keyCode: number): void {
  characters.set(plain, { key: plain, code, keyCode, text: plain });
  characters.set(shifted, { key: shifted, code, keyCode, text: shifted, shift: true });
}

for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
  const upper = letter.toUpperCase();
  addCharacters(letter, upper, `Key${upper}`, upper.charCodeAt(0));
}
for (const [digit, shifted] of [...')!@#$%^&*('].entries()) {
  addCharacters(String(digit), shifted, `Digit${digit}`, 48 + digit);
}
for (const [plain, shifted, code, keyCode] of [
  [';', ':', 'Semicolon', 186],
  ['=', '+', 'Equal', 187],
  [',', '<', 'Comma', 188],
  ['-', '_', 'Minus', 189],
  ['.', '>', 'Period', 190],
  ['/', '?', 'Slash', 191],
  ['`', '~', 'Backquote', 192],
  ['[', '{', 'BracketLeft', 219],
  ['\\', '|', 'Backslash', 220],
  [']', '}', 'BracketRight', 221],
  ["'", '"', 'Quote', 222],
] as const) {
  addCharacters(plain, shifted, code, keyCode);
}
const SPACE: Key = { key: ' ', code: 'Space', keyCode: 32, text: ' ' };
const ENTER: Key = { key: 'Enter', code: 'Enter', keyCode: 13, text: '\r' };
const TAB: Key = { key: 'Tab', code: 'Tab', keyCode: 9 };
characters.set(' ', SPACE);
characters.set('\n', ENTER);
characters.set('\r', ENTER);
characters.set('\t', TAB);

add('space spacebar', SPACE);
add('enter return', ENTER);
add('kp_enter', { ...ENTER, code: 'NumpadEnter', location: 3 });
add('tab', TAB);
add('iso_left_tab', { ...TAB, shift: true });
add('backspace', { key: 'Backspace', code: 'Backspace', keyCode: 8 });
add('delete del kp_delete', { key: 'Delete', code: 'Delete', keyCode: 46 });
add('insert ins kp_insert', { key: 'Insert', code: 'Insert', keyCode: 45 });
add('escape esc', { key: 'Escape', code: 'Escape', keyCode: 27 });
add('home kp_home', { key: 'Home', code: 'Home', keyCode: 36 });
add('end kp_end', { key: 'End', code: 'End', keyCode: 35 });
add('pageup page_up prior pgup kp_prior kp_page_up', { key: 'PageUp', code: 'PageUp', keyCode: 33 });
add('pagedown page_down next pgdn kp_next kp_page_down', { key: 'PageDown', code: 'PageDown', keyCode: 34 });
add('left arrowleft kp_left', { key: 'ArrowLeft', code: 'ArrowLeft', keyCode: 37 });
add('up arrowup kp_up', { key: 'ArrowUp', code: 'ArrowUp', keyCode: 38 });
add('right arrowright kp_right', { key: 'ArrowRight', code: 'ArrowRight', keyCode: 39 });
add('down arrowdown kp_down', { key: 'ArrowDown', code: 'ArrowDown', keyCode: 40 });
add('shift shift_l shiftleft', { key: 'Shift', code: 'ShiftLeft', keyCode: 16, location: 1 });
add('shift_r shiftright', { key: 'Shift', code: 'ShiftRight', keyCode: 16, location: 2 });
add('ctrl control control_l controlleft ctrl_l', { key: 'Control', code: 'ControlLeft', keyCode: 17, location: 1 });
add('control_r controlright ctrl_r', { key: 'Control', code: 'ControlRight', keyCode: 17, location: 2 });
add('alt alt_l altleft option', { key: 'Alt', code: 'AltLeft', keyCode: 18, location: 1 });
add('alt_r altright altgr iso_level3_shift', { key: 'Alt', code: 'AltRight', keyCode: 18, location: 2 });
const META: Key = { key: 'Meta', code: 'MetaLeft', keyCode: 91, location: 1 };
add('meta super super_l meta_l win windows cmd command metaleft', META);
add('super_r meta_r metaright', { ...META, code: 'MetaRight', keyCode: 92, location: 2 });
add('caps_lock capslock', { key: 'CapsLock', code: 'CapsLock', keyCode: 20 });
add('num_lock numlock', { key: 'NumLock', code: 'NumLock', keyCode: 144 });
add('scroll_lock scrolllock', { key: 'ScrollLock', code: 'ScrollLock', keyCode: 145 });
add('pause', { key: 'Pause', code: 'Pause', keyCode: 19 });
add('print printscreen sys_req', { key: 'PrintScreen', code: 'PrintScreen', keyCode: 44 });
add('menu contextmenu', { key: 'ContextMenu', code: 'ContextMenu', keyCode: 93 });
for (let number = 1; number <= 24; number += 1) {
  add(`f${number}`, { key: `F${number}`, code: `F${number}`, keyCode: 111 + number });
}
for (let digit = 0; digit <= 9; digit += 1) {
  const text = String(digit);
  add(`kp_${digit}`, { key: text, code: `Numpad${digit}`, keyCode: 96 + digit, text, location: 3 });
}
for (const [names, text, code, keyCode] of [
  ['kp_add', '+', 'NumpadAdd', 107],
  ['kp_subtract', '-', 'NumpadSubtract', 109],
  ['kp_multiply', '*', 'NumpadMultiply', 106],
  ['kp_divide', '/', 'NumpadDivide', 111],
  ['kp_decimal', '.', 'NumpadDecimal', 110],
] as const) {
  add(names, { key: text, code, keyCode, text, location: 3 });
}
/** Names that X gives to characters (keysymdef.h). */
for (const [names, character] of [
  ['plus', '+'],
  ['minus', '-'],
  ['equal', '='],
  ['comma', ','],
  ['period', '.'],
  ['slash', '/'],
  ['backslash', '\\'],
  ['semicolon', ';'],
  ['colon', ':'],
  ['apostrophe', "'"],
  ['quotedbl', '"'],
  ['grave', '`'],
  ['asciitilde', '~'],
  ['bracketleft', '['],
  ['bracketright', ']'],
  ['braceleft', '{'],
  ['braceright', '}'],
  ['parenleft', '('],
  ['parenright', ')'],
  ['underscore', '_'],
  ['bar', '|'],
  ['less', '<'],
  ['greater', '>'],
  ['question', '?'],
  ['exclam', '!'],
  ['at', '@'],
  ['numbersign', '#'],
  ['dollar', '$'],
  ['percent', '%'],
  ['asciicircum', '^'],
  ['ampersand', '&'],
  ['asterisk', '*'],
] as const) {
  const key = characters.get(character);
  if (key) add(names, key);
}

const withShiftHeld = new Map([...characters.values()].filter(({ shift }) => shift).map((key) => [key.code, key]));

/** The key as it is while Shift is held. */
export function withShift(key: Key): Key {
  return key.text === undefined ? key : (withShiftHeld.get(key.code) ?? key);
}

/** The key that types a character; undefined for a character that the layout has not got. */
export function keyOfCharacter(character: string): Key | undefined {
  return characters.get(character);
}

/**
 * The key of a name: of X (`Return`, `BackSpace`), a short one (`ctrl`, `enter`), or a single character.
 * @throws SandboxError `invalid` for a name that no key has
 */
export function keyNamed(name: string): Key {
  const key = characters.get(name) ?? named.get(name.toLowerCase());
  if (key) return key;
  throw new SandboxError('invalid', `no key is named ${JSON.stringify(name.slice(0, 100))}`, {
    hint: 'names are those of X (Return, BackSpace, Page_Down, F5), short ones (ctrl, enter), or single characters',
  });
}
