import { expect } from 'vitest';
import type { RawTab } from './raw-tab.fixture.ts';

/** The bound of the documents: milliseconds of a call on a tab that works. */
const CALL_MS = 5000;
/** A page on which each tool has something to act on. */
export const FINE =
  '<title>fine</title><h1>fine</h1><button id=press onclick="document.title=`clicked`">press</button>' +
  '<input id=name aria-label=name><select id=size aria-label=size><option>small<option>large</select>' +
  '<div id=from draggable=true>from</div><div id=to ondragover=event.preventDefault()>to</div>';

/** What a page may do to its tab, by a client of DevTools that stays connected. */
export const SPOILED: Readonly<Record<string, (tab: RawTab) => Promise<void>>> = {
  hung: async (tab) => void tab.tell('Runtime.evaluate', { expression: 'for (;;);' }),
  crashed: async (tab) => void tab.tell('Page.crash', {}),
  'blocked by a dialog': async (tab) => {
    await tab.ask('Page.enable', {});
    tab.tell('Runtime.evaluate', { expression: 'alert("stop")' });
    await tab.event('Page.javascriptDialogOpening');
  },
  'paused in a debugger': async (tab) => {
    await tab.ask('Debugger.enable', {});
    tab.tell('Runtime.evaluate', { expression: 'debugger; 1' });
    await tab.event('Debugger.paused');
  },
};

/** One call of each tool on the page FINE; those that end the tab are last. */
export const CALLS: readonly (readonly [string, object])[] = [
  ['browser_navigate', {}],
  ['browser_tabs', { action: 'list' }],
  ['browser_snapshot', {}],
  ['browser_find', { text: 'press' }],
  ['browser_click', { target: '#press' }],
  ['browser_hover', { target: '#press' }],
  ['browser_drag', { startTarget: '#from', endTarget: '#to' }],
  ['browser_drop', { target: '#to', data: { 'text/plain': 'x' } }],
  ['browser_type', { target: '#name', text: 'ann' }],
  ['browser_press_key', { key: 'Tab' }],
  ['browser_fill_form', { fields: [{ name: 'name', type: 'textbox', target: '#name', value: 'bob' }] }],
  ['browser_select_option', { target: '#size', values: ['large'] }],
  ['browser_evaluate', { function: '() => document.title' }],
  ['browser_run_code_unsafe', { code: 'async (page) => page.url()' }],
  ['browser_console_messages', { level: 'info' }],
  ['browser_network_requests', { static: true }],
  ['browser_network_request', { index: 1 }],
  ['browser_take_screenshot', { scale: 'css' }],
  ['browser_emulate_media', { colorScheme: 'dark' }],
  ['browser_resize', { width: 800, height: 600 }],
  ['browser_wait_for', { text: 'fine' }],
  ['browser_handle_dialog', { accept: true }],
  ['browser_file_upload', { paths: [] }],
  ['browser_navigate_back', {}],
  ['browser_tabs', { action: 'new' }],
  ['browser_tabs', { action: 'close' }],
  ['browser_close', {}],
];
/** The page has neither a dialog nor a file chooser, and the window is not for one caller to close. */
const REFUSED: ReadonlySet<string> = new Set(['browser_handle_dialog', 'browser_file_upload', 'browser_close']);

interface Server {
  use(name: string, args: object): Promise<{ readonly text: string; readonly isError: boolean; readonly ms: number }>;
}

interface Wait {
  /** Milliseconds without a processor since the last time. */
  take(): number | Promise<number>;
}

/** A call on a page that works: it has the bound, less what a busy machine adds to its time. */
async function useInTime(server: Server, wait: Wait, [name, args]: (typeof CALLS)[number]): Promise<void> {
  await wait.take();
  const { text, isError, ms } = await server.use(name, args);
  const waited = await wait.take();
  expect({ name, text, isError }).toEqual({ name, text, isError: REFUSED.has(name) });
  const isInTime = (taken: number): boolean => taken - waited < CALL_MS;
  expect({ name, waited, ms }).toEqual({ name, waited, ms: expect.toSatisfy(isInTime) });
}

/** Opens a tab and calls each tool on a page with FINE in it. */
export async function useAll(server: Server, wait: Wait, url: string): Promise<void> {
  await useInTime(server, wait, ['browser_tabs', { action: 'new' }]);
  for (const [name, args] of CALLS) {
    await useInTime(server, wait, [name, name === 'browser_navigate' ? { url } : args]);
  }
}
