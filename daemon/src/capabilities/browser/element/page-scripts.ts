/**
 * Functions that run in the page, in a world of their own. They are text, because they are compiled by the browser and
 * use what only a page has.
 */
const SHARED = String.raw`
  const boxOf = (node) => [...node.getClientRects()].find((rect) => rect.width > 0 && rect.height > 0);
  const shown = (node) => boxOf(node) !== undefined && node.checkVisibility({ visibilityProperty: true });
  const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const isWithin = (node, outer) => {
    for (let at = node; at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  const hitAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const short = (text, most) => (text.length > most ? text.slice(0, most) + '…' : text);
  const describe = (node) => {
    if (!node) return 'nothing';
    const id = node.id ? ' id="' + short(node.id, 60) + '"' : '';
    const names = typeof node.className === 'string' && node.className ? ' class="' + short(node.className, 60) + '"' : '';
    const text = short((node.innerText ?? '').trim().replace(/\s+/g, ' '), 40);
    return '<' + node.localName + id + names + '>' + (text ? ' ' + JSON.stringify(text) : '');
  };
  const isDisabled = (node) => node.matches(':disabled') || !!node.closest('[aria-disabled="true"]');
  const frame = () =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, document.hidden ? 16 : 100);
      if (document.hidden) return;
      requestAnimationFrame(() => { clearTimeout(timer); resolve(); });
    });
  const clip = (box) => {
    const left = Math.max(box.left, 0), top = Math.max(box.top, 0);
    const right = Math.min(box.right, innerWidth), bottom = Math.min(box.bottom, innerHeight);
    return right > left && bottom > top ? { left, top, width: right - left, height: bottom - top } : undefined;
  };
  const PLACES = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75]];
`;

function script(parameters: string, body: string): string {
  return `async function(${parameters}) {${SHARED}${body}}`;
}

/**
 * The numbers of nodes, in the world of the daemon: they end with the document, so that a number never names a node of
 * another one.
 */
export const NUMBERS = 'globalThis.nodeNumbers ??= { last: 0, byNode: new WeakMap(), byNumber: new Map() }';

/** The node of a number, if it is still in the page. */
export const NODE = `function(number) {
  const node = (${NUMBERS}).byNumber.get(number)?.deref();
  return node?.isConnected ? node : null;
}`;

/** The first element that a selector matches, also in open shadow roots. */
export const QUERY = `function(selector) {
  const search = (root) => {
    const found = root.querySelector(selector);
    if (found) return found;
    for (const node of root.querySelectorAll('*')) {
      const inner = node.shadowRoot && search(node.shadowRoot);
      if (inner) return inner;
    }
    return null;
  };
  return search(document);
}`;

/** Milliseconds after which an animated element that has not moved, in a page without frames, counts as still. */
const STILL_MS = 1000;

/**
 * Waits until an element can be acted on and answers the point to act at, in the viewport of its frame, or what is
 * wrong with it. `steps.point` asks for a place that nothing covers, `steps.editable` for a field that takes text.
 */
export const ACTIONABLE = script(
  'steps, ms',
  `
  const element = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
  if (!element?.isConnected) return { reason: 'detached' };
  const end = performance.now() + ms;
  const target = () => (shown(element) ? element : [...(element.labels ?? [])].find(shown) ?? element);
  const belongs = (hit, node) => isWithin(hit, node) || [...(element.labels ?? [])].some((label) => isWithin(hit, label));
  const look = () => {
    if (!element.isConnected) return { reason: 'detached' };
    const node = target();
    if (!shown(node)) return { reason: 'not visible' };
    if (isDisabled(element)) return { reason: 'disabled' };
    if (steps.editable && element.readOnly) return { reason: 'read-only' };
    let box = boxOf(node);
    if (!clip(box) || !steps.point) {
      node.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      box = boxOf(node);
      if (!box) return { reason: 'not visible' };
    }
    if (!steps.point) return { box };
    let covering;
    for (const isSecond of [false, true]) {
      const seen = clip(box);
      for (const [across, down] of seen ? PLACES : []) {
        const x = seen.left + seen.width * across, y = seen.top + seen.height * down;
        const hit = hitAt(x, y);
        if (hit && belongs(hit, node)) return { box, x, y };
        covering ??= hit;
      }
      if (isSecond) break;
      node.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      box = boxOf(node) ?? box;
    }
    if (!clip(box)) return { reason: 'outside the viewport' };
    return { reason: 'covered', by: describe(covering) };
  };
  const same = (a, b) => ['left', 'top', 'width', 'height'].every((side) => Math.abs(a[side] - b[side]) < 0.5);
  // Between two frames of its timeline an animation stands still; a hidden tab has no frames.
  const isAnimated = () => document.getAnimations().some(({ playState, effect }) => playState === 'running' && effect?.target?.contains?.(element));
  const time = () => document.timeline.currentTime;
  let last = look();
  let since = performance.now(), lastTime = time();
  for (;;) {
    await frame();
    let now = look();
    const isSame = now.box && last.box && same(now.box, last.box);
    if (!isSame) since = performance.now();
    const isNewFrame = time() !== lastTime && !document.getAnimations().some(({ pending }) => pending);
    if (isSame && (!isAnimated() || isNewFrame || performance.now() - since > ${STILL_MS})) return { x: now.x, y: now.y, what: describe(element) };
    if (now.reason === 'detached') return now;
    if (performance.now() >= end) return { reason: now.reason ?? 'moving', by: now.by, what: describe(element) };
    if (now.reason) await new Promise((resolve) => setTimeout(resolve, 30));
    last = now;
    lastTime = time();
  }`,
);

const PLACE = `
  const place = () => {
    const box = this.getBoundingClientRect();
    const across = this.offsetWidth ? box.width / this.offsetWidth : 1, down = this.offsetHeight ? box.height / this.offsetHeight : 1;
    const style = getComputedStyle(this);
    const left = this.clientLeft + parseFloat(style.paddingLeft), top = this.clientTop + parseFloat(style.paddingTop);
    return { x: box.left + (left + x) * across, y: box.top + (top + y) * down };
  };`;

/** Where a point of a frame is in the frame around it; `this` is the element of the frame. */
export const PLACE_IN_PARENT = `function(x, y) {${PLACE} return place(); }`;

/** The same, scrolled into view, or what covers it there. */
export const POINT_OF_FRAME = script(
  'x, y',
  `${PLACE}
  const isOutside = (at) => at.x < 0 || at.y < 0 || at.x >= innerWidth || at.y >= innerHeight;
  let at = place();
  if (isOutside(at)) {
    this.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    at = place();
  }
  if (isOutside(at)) {
    scrollBy(at.x - innerWidth / 2, at.y - innerHeight / 2);
    at = place();
  }
  const hit = hitAt(at.x, at.y);
  return hit === this ? at : { reason: 'covered', by: describe(hit) };`,
);

/** Listens for the pointer. */
export const AWAIT_POINTER = `function() {
  globalThis.pointerCame = new Promise((resolve) => addEventListener('mousemove', () => resolve(true), { capture: true, once: true }));
}`;

/** Whether the pointer has come to this frame. */
export const POINTER_CAME = `function(ms) {
  return Promise.race([globalThis.pointerCame, new Promise((resolve) => setTimeout(() => resolve(false), ms))]);
}`;

/** Box of an element that is scrolled into view, in the viewport of its frame. */
export const RECT = `function() {
  this.scrollIntoViewIfNeeded?.();
  const { left, top, width, height } = this.getBoundingClientRect();
  return { x: left, y: top, width, height };
}`;

/** What kind of field an element is. */
export const FIELD_KIND = `function() {
  let field = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
  if (field?.localName === 'label' && field.control) field = field.control;
  if (!field) return { kind: 'none' };
  const name = field.localName;
  if (name === 'select') return { kind: 'select', multiple: field.multiple };
  if (name === 'textarea') return { kind: 'text' };
  if (name === 'input') {
    const type = field.type;
    if (type === 'checkbox' || type === 'radio') return { kind: type, checked: field.checked };
    if (type === 'file') return { kind: 'file', multiple: field.multiple, directory: field.webkitdirectory };
    if (['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'].includes(type)) return { kind: 'value', type };
    if (['button', 'submit', 'reset', 'image', 'hidden'].includes(type)) return { kind: 'none' };
    return { kind: 'text', type };
  }
  if (field.isContentEditable) return { kind: 'text', type: 'contenteditable' };
  const role = field.getAttribute('role');
  if (['checkbox', 'radio', 'switch'].includes(role)) return { kind: 'checkbox', checked: field.getAttribute('aria-checked') === 'true' };
  return { kind: 'none' };
}`;

/** The control of a label, else the element itself. */
export const CONTROL = `function() {
  const field = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
  return field?.localName === 'label' && field.control ? field.control : field;
}`;

/** Focuses a field and selects its text, so that what is typed replaces it. */
export const SELECT_ALL = `function() {
  this.focus({ preventScroll: true });
  if (this.isContentEditable) {
    const range = document.createRange();
    range.selectNodeContents(this);
    const selection = this.getRootNode().getSelection?.() ?? getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return this.innerText.trim() !== '';
  }
  this.select();
  return this.value !== '';
}`;

/** What a field holds now. */
export const FIELD_VALUE = `function() {
  if (this.localName === 'select') return [...this.selectedOptions].map((option) => option.value).join(', ');
  if (this.type === 'checkbox' || this.type === 'radio') return String(this.checked);
  if (this.getAttribute('role') && 'ariaChecked' in this && !('value' in this)) return this.ariaChecked;
  return this.isContentEditable ? this.innerText : String(this.value ?? '');
}`;

/** Chooses options by value, label or text; answers what is missing. */
export const CHOOSE = `function(wanted) {
  const options = [...this.options];
  const found = wanted.map((name) => options.find((option) => option.value === name) ??
    options.find((option) => option.label === name || option.text === name) ??
    options.find((option) => option.text.trim() === name.trim()));
  const missing = wanted.filter((_, index) => !found[index]);
  const list = options.slice(0, 20).map((option) => option.text.trim() || option.value);
  if (missing.length > 0) return { missing, options: list, more: options.length > list.length };
  if (found.length > 1 && !this.multiple) return { single: true };
  const disabled = found.filter((option) => option.matches(':disabled')).map((option) => option.value);
  if (disabled.length > 0) return { disabled };
  this.focus({ preventScroll: true });
  if (this.multiple) for (const option of options) option.selected = found.includes(option);
  else if (found[0]) this.selectedIndex = options.indexOf(found[0]);
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return {};
}`;

/** Sets a field that takes no text, such as a date; answers the value that it then has. */
export const SET_VALUE = `function(value) {
  const before = this.value;
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  set.call(this, value);
  const has = this.value;
  if (has.toLowerCase() !== value.trim().toLowerCase() && !(this.type === 'range' && Number(has) === Number(value))) {
    set.call(this, before);
    return { refused: true };
  }
  this.focus({ preventScroll: true });
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return { value: has };
}`;

/** Names and sizes of the files that a field has. */
export const FILES = `function() {
  return [...(this.files ?? [])].map(({ name, size }) => ({ name, size }));
}`;
