/** Roles of elements as a page script: HTML-AAM 1.0 §3.5, of what a reader of a snapshot uses. */
export const ROLES = `
  const LANDMARK_PARENTS = 'article, aside, main, nav, section';
  const PLAIN = {
    article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', canvas: 'canvas', caption: 'caption',
    code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dialog: 'dialog', dt: 'term',
    embed: 'embed', fieldset: 'group', figcaption: 'caption', figure: 'figure', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
    h5: 'heading', h6: 'heading', hr: 'separator', iframe: 'iframe', frame: 'iframe', ins: 'insertion', legend: 'legend', li: 'listitem',
    main: 'main', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', object: 'object', ol: 'list', optgroup: 'group',
    option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', search: 'search', summary: 'button', table: 'table',
    tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row', ul: 'list',
    video: 'video', audio: 'audio',
  };
  const INPUTS = {
    button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', checkbox: 'checkbox', radio: 'radio',
    range: 'slider', number: 'spinbutton', search: 'searchbox', color: 'color', date: 'date', time: 'time',
    'datetime-local': 'datetime', month: 'month', week: 'week',
  };
  const KNOWN = new Set(('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader ' +
    'combobox complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid gridcell group ' +
    'heading img image insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox ' +
    'menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup ' +
    'rowheader scrollbar search searchbox separator slider spinbutton status strong switch tab table tablist tabpanel term ' +
    'textbox time timer toolbar tooltip tree treegrid treeitem').split(' '));
  const INTERACTIVE = new Set(('button checkbox color combobox date datetime gridcell link listbox menuitem menuitemcheckbox ' +
    'menuitemradio month option radio scrollbar searchbox slider spinbutton switch tab textbox time-field treeitem week').split(' '));
  const FROM_CONTENT = new Set(('button cell checkbox columnheader gridcell heading legend caption link menuitem menuitemcheckbox ' +
    'menuitemradio option radio rowheader switch tab tooltip treeitem term time').split(' '));
  const isNamedByAuthor = (node) => node.hasAttribute('aria-label') || node.hasAttribute('aria-labelledby');
  const inputRole = (node) => {
    const type = node.type;
    if (type === 'hidden') return 'none';
    if (type === 'time') return 'time-field';
    if (node.list && ['text', 'search', 'email', 'tel', 'url'].includes(type)) return 'combobox';
    return INPUTS[type] ?? 'textbox';
  };
  const cellRole = (node) => {
    const table = node.closest('table');
    const isGrid = /^(?:grid|treegrid)$/.test(table?.getAttribute('role') ?? '');
    if (node.localName === 'td') return isGrid ? 'gridcell' : 'cell';
    if (node.scope === 'row' || node.scope === 'rowgroup') return 'rowheader';
    if (node.scope || !node.parentElement?.querySelector(':scope > td')) return 'columnheader';
    return 'rowheader';
  };
  const nativeRole = (node) => {
    const name = node.localName;
    switch (name) {
      case 'a': case 'area': return node.hasAttribute('href') ? 'link' : 'generic';
      case 'input': return inputRole(node);
      case 'select': return node.multiple || node.size > 1 ? 'listbox' : 'combobox';
      case 'img': return node.getAttribute('alt') === '' && !isNamedByAuthor(node) && !node.title ? 'none' : 'img';
      case 'svg': return isNamedByAuthor(node) || node.querySelector(':scope > title') ? 'img' : 'none';
      case 'td': case 'th': return cellRole(node);
      case 'header': return node.parentElement?.closest(LANDMARK_PARENTS) ? 'generic' : 'banner';
      case 'footer': return node.parentElement?.closest(LANDMARK_PARENTS) ? 'generic' : 'contentinfo';
      case 'section': return isNamedByAuthor(node) ? 'region' : 'generic';
      case 'form': return isNamedByAuthor(node) ? 'form' : 'generic';
      default: return PLAIN[name] ?? 'generic';
    }
  };
  const roleOf = (node) => {
    const given = (node.getAttribute('role') ?? '').trim().toLowerCase().split(' ').find((name) => KNOWN.has(name));
    if (!given) return nativeRole(node);
    if (given === 'none' || given === 'presentation') {
      return node.tabIndex >= 0 && !['table', 'ul', 'ol'].includes(node.localName) ? nativeRole(node) : 'generic';
    }
    return given === 'image' ? 'img' : given;
  };
`;
