import keySyms from 'x11/lib/keysyms.js';

/** Keysyms from 0x01000000 on are characters of Unicode (X protocol, appendix A). */
const UNICODE = 0x0100_0000;
/** `(€) EURO SIGN`: how a keysym of before Unicode names its character. */
const CHARACTER = /^\((.)\) /u;

const byName = new Map<string, number>();
const byLowerName = new Map<string, number>();
const characters = new Map<number, string>();
for (const [name, { code, description }] of Object.entries(keySyms)) {
  const short = name.slice('XK_'.length);
  if (!byName.has(short)) byName.set(short, code);
  if (!byLowerName.has(short.toLowerCase())) byLowerName.set(short.toLowerCase(), code);
  const character = CHARACTER.exec(description ?? '')?.[1];
  if (character !== undefined && !characters.has(code)) characters.set(code, character);
}

/** Names of before X and of other systems, in lower case. */
const ALIASES: Readonly<Record<string, string>> = {
  enter: 'Return',
  esc: 'Escape',
  del: 'Delete',
  ins: 'Insert',
  backspace: 'BackSpace',
  spacebar: 'space',
  ctrl: 'Control_L',
  control: 'Control_L',
  controlleft: 'Control_L',
  ctrl_l: 'Control_L',
  ctrl_r: 'Control_R',
  controlright: 'Control_R',
  shift: 'Shift_L',
  shiftleft: 'Shift_L',
  shiftright: 'Shift_R',
  alt: 'Alt_L',
  altleft: 'Alt_L',
  option: 'Alt_L',
  altright: 'Alt_R',
  altgr: 'ISO_Level3_Shift',
  meta: 'Super_L',
  super: 'Super_L',
  win: 'Super_L',
  windows: 'Super_L',
  cmd: 'Super_L',
  command: 'Super_L',
  up: 'Up',
  down: 'Down',
  left: 'Left',
  right: 'Right',
  arrowup: 'Up',
  arrowdown: 'Down',
  arrowleft: 'Left',
  arrowright: 'Right',
  pageup: 'Page_Up',
  pgup: 'Page_Up',
  pagedown: 'Page_Down',
  pgdn: 'Page_Down',
  capslock: 'Caps_Lock',
  numlock: 'Num_Lock',
  scrolllock: 'Scroll_Lock',
  printscreen: 'Print',
  contextmenu: 'Menu',
};

/** The character that a keysym types, if it types one. */
export function characterOf(keysym: number): string | undefined {
  if ((keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff)) return String.fromCharCode(keysym);
  if (keysym >= UNICODE && keysym <= UNICODE + 0x10_ffff) return String.fromCodePoint(keysym - UNICODE);
  return characters.get(keysym);
}

/** What a key is meant by: a character, or a key that types none. */
export type KeyMeaning = { readonly character: string } | { readonly keysym: number };

/** The key of a name: a single character, a name of X in any case, or a short one; undefined if none exists. */
export function meaningOf(name: string): KeyMeaning | undefined {
  if ([...name].length === 1) return characterKey(name);
  // Digits of the keypad depend on Num Lock; those above the letters do not.
  const digit = /^kp_(\d)$/i.exec(name)?.[1];
  if (digit !== undefined) return { character: digit };
  const keysym = byName.get(ALIASES[name.toLowerCase()] ?? name) ?? byLowerName.get(name.toLowerCase());
  if (keysym === undefined) return undefined;
  const character = characterOf(keysym);
  return character === undefined ? { keysym } : { character };
}

/** The key that stands for a character of a text; a line break is Return. */
export function characterKey(character: string): KeyMeaning {
  if (character === '\n' || character === '\r') return { keysym: 0xff0d };
  return character === '\t' ? { keysym: 0xff09 } : { character };
}

/** Names of keys that are close to one that does not exist, the closest first. */
export function nearNames(name: string, most = 3): string[] {
  const wanted = name.toLowerCase().slice(0, 40);
  const known = [...Object.keys(ALIASES), ...byName.keys()];
  return known
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ distance: edits }) => edits <= Math.max(1, Math.floor(wanted.length / 3)))
    .sort((a, b) => a.distance - b.distance || a.candidate.length - b.candidate.length)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** Insertions, deletions and replacements of characters between two short texts (Levenshtein). */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > a.length / 2) return a.length + b.length;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
