/** Accessible names as a page script: accname 1.2 §4.3, in its order. */
export const NAMES = String.raw`
  const clean = (text) => text.replace(/\s+/g, ' ').trim();
  const byIds = (node, attribute) => {
    const root = node.getRootNode();
    const ids = (node.getAttribute(attribute) ?? '').split(/\s+/).filter(Boolean).slice(0, 20);
    return ids.map((id) => root.getElementById?.(id)).filter(Boolean);
  };
  const isBlock = (display) => !/^(?:inline|contents|none|ruby)/.test(display);
  const quoted = (value) => (/^"(.*)"$/.exec(value) ?? [])[1] ?? '';
  const generated = (node, pseudo) => {
    const content = getComputedStyle(node, pseudo).content;
    return content === 'none' || content === 'normal' ? '' : quoted(content);
  };
  const childrenOf = (node) => {
    if (node.localName === 'slot') {
      const assigned = node.assignedNodes();
      if (assigned.length > 0) return assigned;
    }
    return (node.shadowRoot ?? node).childNodes;
  };
  const isHidden = (node, style) => style.display === 'none' || node.getAttribute('aria-hidden') === 'true';
  const valueOf = (node, role) => {
    if (node.localName === 'select') return [...node.selectedOptions].map((option) => clean(option.label || option.text)).join(', ');
    if ('value' in node && ['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider'].includes(role)) return String(node.value);
    return node.getAttribute('aria-valuetext') ?? node.getAttribute('aria-valuenow') ?? '';
  };
  // The text of a subtree as a name; seen ends circles of aria-labelledby.
  const textWithin = (node, seen, isReferenced, budget) => {
    let text = '';
    for (const child of childrenOf(node)) {
      if (budget.left <= 0) break;
      if (child.nodeType === Node.TEXT_NODE) {
        text += child.data;
        budget.left -= child.data.length + 1;
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        budget.left -= 1;
        const style = getComputedStyle(child);
        if (isHidden(child, style) || style.visibility === 'hidden') {
          if (!isReferenced) continue;
        }
        const part = nameWithin(child, seen, isReferenced, budget);
        text += isBlock(style.display) || child.localName === 'br' ? ' ' + part + ' ' : part;
      }
    }
    return generated(node, '::before') + text + generated(node, '::after');
  };
  const nameWithin = (node, seen, isReferenced, budget) => {
    if (seen.has(node)) return '';
    seen.add(node);
    const label = clean(node.getAttribute('aria-label') ?? '');
    if (label) return label;
    const role = roleOf(node);
    if (role === 'textbox' || role === 'searchbox' || role === 'combobox' || role === 'slider' || role === 'spinbutton') {
      return valueOf(node, role);
    }
    const native = nativeName(node, role, seen, budget);
    if (native !== undefined && native !== '') return native;
    return textWithin(node, seen, isReferenced, budget);
  };
  const labelText = (labels, seen, budget) =>
    clean([...labels].map((label) => nameWithin(label, new Set(seen), false, budget)).join(' '));
  // What the markup says; undefined if the element has no such thing.
  const nativeName = (node, role, seen, budget) => {
    switch (node.localName) {
      case 'input': {
        const labelled = node.labels?.length ? labelText(node.labels, new Set([...seen, node]), budget) : '';
        if (labelled) return labelled;
        if (['submit', 'reset', 'button'].includes(node.type)) {
          return node.value || (node.hasAttribute('value') ? '' : { submit: 'Submit', reset: 'Reset', button: '' }[node.type]);
        }
        if (node.type === 'image') return node.alt || node.value || node.title || 'Submit';
        if (node.type === 'file') return node.title || 'Choose File';
        return undefined;
      }
      case 'select': case 'textarea': case 'meter': case 'progress': case 'output': case 'button':
        return node.labels?.length ? labelText(node.labels, new Set([...seen, node]), budget) || undefined : undefined;
      case 'img': case 'area': return node.alt || undefined;
      case 'fieldset': return firstChild(node, 'legend', seen, budget);
      case 'figure': return firstChild(node, 'figcaption', seen, budget);
      case 'table': return firstChild(node, 'caption', seen, budget);
      case 'svg': return clean(node.querySelector(':scope > title')?.textContent ?? '') || undefined;
      case 'optgroup': case 'option': return node.label ? clean(node.label) : undefined;
      default: return undefined;
    }
  };
  const firstChild = (node, name, seen, budget) => {
    const child = node.querySelector(':scope > ' + name);
    return child ? clean(textWithin(child, seen, false, budget)) : undefined;
  };
  const nameOf = (node, role) => {
    const budget = { left: NAME_MAX * 4 };
    const referenced = byIds(node, 'aria-labelledby');
    if (referenced.length > 0) {
      const text = clean(referenced.map((other) => nameWithin(other, new Set(), true, budget)).join(' '));
      if (text) return text;
    }
    const label = clean(node.getAttribute('aria-label') ?? '');
    if (label) return label;
    const native = nativeName(node, role, new Set(), budget);
    if (native) return clean(native);
    if (FROM_CONTENT.has(role)) {
      const text = clean(textWithin(node, new Set([node]), false, budget));
      if (text) return text;
    }
    return clean(node.title || '') || clean(node.placeholder ?? node.getAttribute('aria-placeholder') ?? '');
  };
`;
