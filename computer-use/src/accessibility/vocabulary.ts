/** Roles by their number (AT-SPI 2, AtspiRole), in the words of its newest edition. */
const ROLES: readonly string[] =
  `invalid,accelerator label,alert,animation,arrow,calendar,canvas,check box,check menu item,color chooser,column header,
combo box,date editor,desktop icon,desktop frame,dial,dialog,directory pane,drawing area,file chooser,filler,
focus traversable,font chooser,frame,glass pane,html container,icon,image,internal frame,label,layered pane,list,
list item,menu,menu bar,menu item,option pane,page tab,page tab list,panel,password text,popup menu,progress bar,button,
radio button,radio menu item,root pane,row header,scroll bar,scroll pane,separator,slider,spin button,split pane,
status bar,table,table cell,table column header,table row header,tearoff menu item,terminal,text,toggle button,tool bar,
tool tip,tree,tree table,unknown,viewport,window,extended,header,footer,paragraph,ruler,application,autocomplete,editbar,
embedded,entry,chart,caption,document frame,heading,page,section,redundant object,form,link,input method window,
table row,tree item,document spreadsheet,document presentation,document text,document web,document email,comment,
list box,grouping,image map,notification,info bar,level bar,title bar,block quote,audio,video,definition,article,
landmark,log,marquee,math,rating,timer,static,math fraction,math root,subscript,superscript,description list,
description term,description value,footnote,content deletion,content insertion,mark,suggestion,push button menu,switch`
    .replaceAll('\n', '')
    .split(',');

/** States by their bit (AT-SPI 2, AtspiStateType). */
const STATES: readonly string[] =
  `invalid,active,armed,busy,checked,collapsed,defunct,editable,enabled,expandable,expanded,focusable,focused,has tooltip,
horizontal,iconified,modal,multi line,multiselectable,opaque,pressed,resizable,selectable,selected,sensitive,showing,
single line,stale,transient,vertical,visible,manages descendants,indeterminate,required,truncated,animated,invalid entry,
supports autocompletion,selectable text,is default,visited,checkable,has popup,read only`
    .replaceAll('\n', '')
    .split(',');

/** Other names of roles: those of older editions, and of the web (WAI-ARIA). */
const ALIASES: Readonly<Record<string, string>> = {
  'push button': 'button',
  checkbox: 'check box',
  combobox: 'combo box',
  textbox: 'entry',
  searchbox: 'entry',
  tab: 'page tab',
  'tab list': 'page tab list',
  radio: 'radio button',
  menuitem: 'menu item',
  listitem: 'list item',
  row: 'table row',
  cell: 'table cell',
};

export function roleName(role: number): string {
  return ROLES[role] ?? 'unknown';
}

/** @param words the set of states as AT-SPI sends it: 32 bits each, the lowest first */
export function stateNames(words: readonly number[]): string[] {
  return STATES.filter((_name, bit) => isSet(words, bit));
}

export function hasState(words: readonly number[], name: string): boolean {
  return isSet(words, STATES.indexOf(name));
}

function isSet(words: readonly number[], bit: number): boolean {
  const word = words[bit >> 5] ?? 0;
  return ((word >>> (bit & 31)) & 1) === 1;
}

/** The role that a caller means: `push-button`, `PUSH_BUTTON` and `button` are one; undefined if none exists. */
export function roleCalled(text: string): string | undefined {
  const name = plain(text);
  const role = ALIASES[name] ?? name;
  return ROLES.includes(role) ? role : undefined;
}

/** The state that a caller means; undefined if none exists. */
export function stateCalled(text: string): string | undefined {
  const name = plain(text);
  return STATES.includes(name) ? name : undefined;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll('-', ' ').replaceAll('_', ' ').trim();
}
