/** Keys that a touch screen lacks: label, name, what they send, and what they send in application mode (DECCKM). */
const KEYS = [
  ['Esc', 'Escape', '\x1b'],
  ['Tab', 'Tab', '\t'],
  ['Ctrl', 'Control'],
  ['Alt', 'Alt'],
  ['←', 'Left', '\x1b[D', '\x1bOD'],
  ['↑', 'Up', '\x1b[A', '\x1bOA'],
  ['↓', 'Down', '\x1b[B', '\x1bOB'],
  ['→', 'Right', '\x1b[C', '\x1bOC'],
];

/** Parameter of a cursor key with modifiers (xterm, ctlseqs): 1 + 2 for Alt + 4 for Ctrl. */
const parameterOf = ({ alt, control }) => 1 + (alt ? 2 : 0) + (control ? 4 : 0);

/** The control character of a key (ECMA-48): Ctrl-C is 3, Ctrl-[ is 27, Ctrl-Space is 0. */
function controlOf(text) {
  const code = text.toUpperCase().charCodeAt(0);
  if (code >= 0x40 && code <= 0x5f) return String.fromCharCode(code - 0x40);
  return { ' ': '\0', '?': '\x7f', 2: '\0', 3: '\x1b', 4: '\x1c', 5: '\x1d', 6: '\x1e', 7: '\x1f', 8: '\x7f' }[text];
}

/** A row of keys. Ctrl and Alt are pressed for the next key, of this row or of the keyboard. */
export class KeyRow {
  #terminal;
  #type;
  #pressed = { control: false, alt: false };
  #modifiers = new Map();

  /** @param type called with the text of a key */
  constructor(row, terminal, type) {
    this.#terminal = terminal;
    this.#type = type;
    row.append(...KEYS.map((key) => this.#button(key)));
    // A button that took the focus would close the keyboard of the screen.
    row.addEventListener('pointerdown', (event) => event.preventDefault());
  }

  /** Typed text under the pressed modifiers, which are then released. */
  modified(text) {
    const { control, alt } = this.#pressed;
    if (!control && !alt) return text;
    this.#release();
    const sent = control && text.length === 1 ? (controlOf(text) ?? text) : text;
    return alt ? `\x1b${sent}` : sent;
  }

  #button([label, name, sent, inApplication]) {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = label;
    made.setAttribute('aria-label', name);
    if (sent === undefined) {
      const modifier = name.toLowerCase();
      made.setAttribute('aria-pressed', 'false');
      this.#modifiers.set(modifier, made);
      made.onclick = () => this.#press(modifier, !this.#pressed[modifier]);
    } else {
      made.onclick = () => this.#type(this.#cursorKey(sent, inApplication));
    }
    return made;
  }

  #cursorKey(sent, inApplication) {
    if (inApplication === undefined) return this.modified(sent);
    const parameter = parameterOf(this.#pressed);
    this.#release();
    if (parameter > 1) return `\x1b[1;${parameter}${sent.at(-1)}`;
    return this.#terminal.modes.applicationCursorKeysMode ? inApplication : sent;
  }

  #press(modifier, isPressed) {
    this.#pressed[modifier] = isPressed;
    this.#modifiers.get(modifier).setAttribute('aria-pressed', String(isPressed));
  }

  #release() {
    for (const modifier of this.#modifiers.keys()) this.#press(modifier, false);
  }
}
