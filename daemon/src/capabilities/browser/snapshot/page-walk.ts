import { NUMBERS } from '../element/page-scripts.ts';
import { NAMES } from './page-names.ts';
import { ROLES } from './page-roles.ts';

/** Characters of a name in a line. */
const NAME_MAX = 300;
/** Characters of a text in a line. */
const TEXT_MAX = 4000;
/** Elements that one look visits. */
const VISITS_MAX = 200_000;

/** One line of a snapshot as the page script makes it. */
export interface PageLine {
  /** Depth from 0 on. */
  readonly d: number;
  /** Role; `text` for text. */
  readonly r: string;
  readonly n?: string;
  /** Number of the node in its document. */
  readonly i?: number;
  /** States such as `checked`. */
  readonly s?: readonly string[];
  /** Value of a field. */
  readonly v?: string;
  /** Address of a link. */
  readonly u?: string;
  /** What it contains, if that is written on its line. */
  readonly p?: readonly (string | PageLine)[];
}

export interface PageLook {
  readonly title: string;
  readonly url: string;
  readonly lines: readonly PageLine[];
  /** Whether elements were left out. */
  readonly isCut: boolean;
}

/** Returns the accessibility tree of a document in lines; `length` bounds their characters. */
export const WALK = `function(isInteractiveOnly, length, rootNumber) {
  const NAME_MAX = ${NAME_MAX}, TEXT_MAX = ${TEXT_MAX};
  ${ROLES}${NAMES}
  const numbers = ${NUMBERS};
  const numberOf = (node) => {
    let number = numbers.byNode.get(node);
    if (number === undefined) {
      number = numbers.last += 1;
      numbers.byNode.set(node, number);
      numbers.byNumber.set(number, new WeakRef(node));
    }
    return number;
  };
  const short = (text, most = NAME_MAX) => (text.length > most ? text.slice(0, most) + '…' : text);
  const lines = [], costs = [], isKey = [];
  // Characters left for lines that can be acted on, and for others.
  const left = { key: length, other: length };
  let visits = 0, isCut = false;
  const add = (line, key) => {
    const cost = line.d * 2 + line.r.length + (line.n?.length ?? 0) + (line.v?.length ?? 0) + (line.u?.length ?? 0) +
      (line.s?.join(' [] ').length ?? 0) + 24;
    const kind = key ? 'key' : 'other';
    left[kind] -= cost;
    if (left[kind] < 0) { isCut = true; return; }
    lines.push(line);
    costs.push(cost);
    isKey.push(key);
  };
  // The lines that fit: of a page that is too long its beginning, and then what can be acted on in the rest of it.
  const fitting = () => {
    let rest = 0, sum = 0, end = 0;
    for (let at = 0; at < lines.length; at += 1) if (isKey[at]) rest += costs[at];
    while (end < lines.length) {
      const later = rest - (isKey[end] ? costs[end] : 0);
      if (sum + costs[end] + Math.min(later, length / 2) > length) break;
      sum += costs[end];
      rest = later;
      end += 1;
    }
    if (end === lines.length || isInteractiveOnly) return lines.slice(0, end);
    isCut = true;
    const further = lines.filter((_line, at) => at >= end && isKey[at]).map((line) => ({ ...line, d: 0 }));
    const note = { d: 0, r: 'text', n: '… text is left out from here on; what can be acted on further down:' };
    return further.length === 0 ? lines.slice(0, end) : [...lines.slice(0, end), note, ...further];
  };
  const aria = (node, name) => node.getAttribute('aria-' + name);
  const flag = (states, name, value) => {
    if (value === true || value === 'true') states.push(name);
    else if (value === 'mixed') states.push(name + '=mixed');
  };
  const statesOf = (node, role) => {
    const states = [];
    if (role === 'heading') states.push('level=' + (aria(node, 'level') ?? /^h([1-6])$/.exec(node.localName)?.[1] ?? 2));
    if (['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'].includes(role)) {
      flag(states, 'checked', node.localName === 'input' ? (node.indeterminate ? 'mixed' : node.checked) : aria(node, 'checked'));
    }
    if (role === 'option' || role === 'tab' || role === 'treeitem' || role === 'gridcell' || role === 'row') {
      flag(states, 'selected', node.localName === 'option' ? node.selected : aria(node, 'selected'));
    }
    flag(states, 'pressed', aria(node, 'pressed'));
    const expanded = node.localName === 'summary' ? String(!!node.parentElement?.open) : aria(node, 'expanded');
    if (expanded === 'true' || expanded === 'false') states.push('expanded=' + expanded);
    if (node.matches(':disabled') || node.closest('[aria-disabled="true"]')) states.push('disabled');
    flag(states, 'readonly', node.readOnly === true || aria(node, 'readonly'));
    flag(states, 'required', node.required === true || aria(node, 'required'));
    if (aria(node, 'invalid') === 'true') states.push('invalid');
    if (aria(node, 'current') && aria(node, 'current') !== 'false') states.push('current');
    if (node === node.getRootNode().activeElement && node !== document.body) states.push('focused');
    return states;
  };
  const fieldValue = (node, role) => {
    if (node.type === 'password') return node.value ? '••••' : '';
    if (node.type === 'file') return [...node.files].map((file) => file.name).join(', ');
    if (['color', 'date', 'time-field', 'datetime', 'month', 'week', 'textbox', 'searchbox', 'combobox', 'spinbutton', 'slider'].includes(role)) {
      return node.isContentEditable ? node.innerText : valueOf(node, role) || ('value' in node ? String(node.value) : '');
    }
    return ['progressbar', 'meter', 'scrollbar'].includes(role) ? String(node.value ?? aria(node, 'valuenow') ?? '') : '';
  };
  const isClickable = (node, style, parentStyle) =>
    (style.cursor === 'pointer' && parentStyle?.cursor !== 'pointer') || node.hasAttribute('onclick') ||
    (node.hasAttribute('tabindex') && node.tabIndex >= 0);
  const hasOnlyText = (node) => {
    for (const child of childrenOf(node)) {
      if (child.nodeType === Node.ELEMENT_NODE && (child.shadowRoot || !hasNoRole(child))) return false;
    }
    return true;
  };
  const INLINE = new Set('abbr b bdi bdo br cite data dfn em font i kbd label mark q s samp small span strong sub sup u var wbr tt'.split(' '));
  const hasNoRole = (node) => INLINE.has(node.localName) && !node.hasAttribute('role') && !node.hasAttribute('tabindex') &&
    !node.hasAttribute('onclick') && hasOnlyText(node);
  let pending = '', pendingDepth = 0;
  const flush = () => {
    const text = clean(pending);
    pending = '';
    if (!text || isInteractiveOnly) return;
    if (text.length > TEXT_MAX) isCut = true;
    add({ d: pendingDepth, r: 'text', n: short(text, TEXT_MAX) }, false);
  };
  const walkChildren = (node, depth, style, isTextless) => {
    for (const child of childrenOf(node)) {
      if (left.key < 0 || visits > ${VISITS_MAX}) { isCut = true; return; }
      if (child.nodeType === Node.TEXT_NODE) {
        if (isTextless || style.visibility === 'hidden' || !child.data) continue;
        if (pending === '') pendingDepth = depth;
        pending += child.data;
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        walk(child, depth, style, isTextless);
      }
    }
  };
  const walk = (node, depth, parentStyle, isTextless) => {
    visits += 1;
    const name = node.localName;
    if (name === 'script' || name === 'style' || name === 'noscript' || name === 'template' || name === 'head' || name === 'source' || name === 'track') return;
    const style = getComputedStyle(node);
    if (isHidden(node, style) || node.inert) return;
    if (name === 'details' && !node.open) {
      const summary = node.querySelector(':scope > summary');
      if (summary) walk(summary, depth, style, isTextless);
      return;
    }
    const isBreak = isBlock(style.display) || name === 'br';
    if (isBreak) pending += ' ';
    const role = style.visibility === 'hidden' ? 'generic' : roleOf(node);
    const isEditor = node.isContentEditable && !node.parentElement?.isContentEditable;
    const clickable = style.visibility !== 'hidden' && role === 'generic' && (isClickable(node, style, parentStyle) || isEditor);
    if ((role === 'generic' || role === 'none') && !clickable && !isNamedByAuthor(node)) {
      if (isBlock(style.display)) flush();
      if (name !== 'svg') walkChildren(node, depth, style, isTextless);
      if (isBlock(style.display)) flush();
      return;
    }
    flush();
    const shownRole = isEditor && role === 'generic' ? 'textbox' : role;
    const isInteractive = INTERACTIVE.has(role) || clickable || (isEditor && style.visibility !== 'hidden');
    const ownName = clickable && !isEditor && role === 'generic' && !isNamedByAuthor(node)
      ? clean(textWithin(node, new Set([node]), false, { left: NAME_MAX })) : nameOf(node, role);
    const isLeaf = name === 'select' && !node.multiple && node.size <= 1 || shownRole === 'textbox' || shownRole === 'searchbox' ||
      name === 'iframe' || name === 'frame' || role === 'img' || name === 'option' || name === 'object' || name === 'canvas';
    const isNamedByContent = FROM_CONTENT.has(role) || clickable;
    const line = { d: depth, r: shownRole === 'generic' ? 'clickable' : shownRole === 'time-field' ? 'time' : shownRole };
    if (ownName) line.n = short(ownName);
    const value = fieldValue(node, isEditor ? 'textbox' : role);
    if (value && value !== ownName) line.v = short(value);
    const states = statesOf(node, role);
    if (states.length > 0) line.s = states;
    if (role === 'link') line.u = short(node.origin === location.origin ? node.href.slice(node.origin.length) : String(node.href ?? ''), 200);
    const isShown = !isInteractiveOnly || isInteractive || name === 'iframe' || name === 'frame';
    if (isShown) {
      line.i = numberOf(node);
      add(line, isInteractive || name === 'iframe' || name === 'frame');
    }
    const inner = isShown && !isInteractiveOnly ? depth + 1 : depth;
    if (name === 'select' && isLeaf && !isInteractiveOnly) for (const option of [...node.options].slice(0, 50)) {
      const words = { d: inner, r: 'option', n: short(clean(option.label || option.text)), i: numberOf(option) };
      const marks = [...(option.selected ? ['selected'] : []), ...(option.disabled ? ['disabled'] : [])];
      if (marks.length > 0) words.s = marks;
      add(words, false);
    }
    if (!isLeaf) walkChildren(node, inner, style, isTextless || (isNamedByContent && line.n !== undefined));
    flush();
  };
  const start = rootNumber === null ? document.body ?? document.documentElement : numbers.byNumber.get(rootNumber)?.deref();
  if (start) {
    if (rootNumber === null) walkChildren(start, 0, getComputedStyle(start), false);
    else walk(start, 0, undefined, false);
  }
  flush();
  return { title: document.title, url: location.href, lines: fitting(), isCut };
}`;
