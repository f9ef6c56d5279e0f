/** Scripts that run in a page: what it shows, in other forms. */

export const TEXT = '() => document.body?.innerText ?? ""';

export const LINKS =
  '() => ({ links: [...document.links].slice(0, 2000).map((link) => ({ text: link.innerText.trim(), href: link.href })) })';

/** Markdown of headings, paragraphs, lists, tables, links, pictures and code that are visible. */
export const MARKDOWN = String.raw`() => {
  const SKIPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'SVG', 'IFRAME', 'CANVAS']);
  const MARKS = { STRONG: '**', B: '**', EM: '_', I: '_', CODE: '${'`'}', DEL: '~~' };
  const within = (node) => [...(node.shadowRoot ?? node).childNodes].map(write).join('');
  const line = (text) => text.replace(/\s+/g, ' ').trim();
  const marked = (node) => {
    const mark = MARKS[node.tagName] ?? '';
    const text = within(node);
    return mark === '' || text.trim() === '' ? text : mark + text.trim() + mark;
  };
  const row = (node) => {
    const cells = [...node.cells].map((cell) => line(within(cell)).replaceAll('|', '\\|'));
    const isFirst = node.closest('table')?.rows[0] === node;
    return '\n| ' + cells.join(' | ') + ' |' + (isFirst ? '\n|' + cells.map(() => ' --- |').join('') : '');
  };
  const item = (node) => {
    const list = node.parentElement;
    const mark = list?.tagName === 'OL' ? [...list.children].indexOf(node) + 1 + '. ' : '- ';
    return '\n' + mark + within(node).trim().replace(/\n+/g, '\n  ');
  };
  const write = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data.replace(/\s+/g, ' ');
    if (node.nodeType !== Node.ELEMENT_NODE || SKIPPED.has(node.tagName.toUpperCase()) || !node.checkVisibility()) return '';
    const level = /^H([1-6])$/.exec(node.tagName)?.[1];
    if (level) return '\n\n' + '#'.repeat(Number(level)) + ' ' + line(within(node)) + '\n\n';
    switch (node.tagName) {
      case 'A': return node.href ? '[' + line(within(node)) + '](' + node.href + ')' : within(node);
      case 'IMG': return node.alt ? '![' + line(node.alt) + '](' + node.src + ')' : '';
      case 'BR': return '\n';
      case 'HR': return '\n\n---\n\n';
      case 'PRE': return '\n\n${'```'}\n' + node.innerText.trimEnd() + '\n${'```'}\n\n';
      case 'LI': return item(node);
      case 'TR': return row(node);
      case 'SELECT': case 'TEXTAREA': case 'INPUT': return '';
    }
    const text = marked(node);
    return /^(?:inline|contents|ruby)/.test(getComputedStyle(node).display) ? text : '\n\n' + text + '\n\n';
  };
  return document.body ? write(document.body).replace(/[ \t]+\n/g, '\n').replace(/\n +(?=\S)(?! *-)/g, '\n').replace(/\n{3,}/g, '\n\n').trim() : '';
}`;
