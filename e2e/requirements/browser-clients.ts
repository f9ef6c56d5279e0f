import { type Requirement, section } from './requirement.ts';

export const BROWSER_CLIENTS: readonly Requirement[] = section('docs/browser.md', {
  'browser.page-history': 'thirty steps through the history of pages by Playwright, and those of Puppeteer, over /cdp',
  'images.browser-history': 'Playwright goes back and forward over /cdp in existing and new contexts',
  'browser.last-tab': 'a browser keeps one tab: an empty one follows the last that is closed',
  'browser.waits-for-start':
    'a call that arrives while the browser starts waits for it, up to 20 s and its own timeout',
  'browser.manual': 'with BROWSER_START_MODE=manual no call starts the browser; the 503 names what does',
  'browser.snapshot-tokens': 'no snapshot of ten pages takes more tokens than that of @playwright/mcp',
  'browser.snapshot-lines': 'a paragraph is one line of a snapshot, in which what can be acted on keeps its reference',
  'browser.snapshot-first': 'of a page that is too long a snapshot keeps what can be acted on before text',
  'browser.snapshot-lists': 'long lists are cut with a count; selector and depth look deeper',
  'browser.effects':
    'click, fill, select, actions of the page and navigate say which tabs, download, dialog and address came of them',
  'browser.awaits-element':
    'an element that is not there yet is waited for until the timeout of the call; the page of a reference is not',
  'browser.dialog-route': 'dialogs are answered by a route, and by default wait, are accepted or dismissed',
  'browser.pdf': 'a page is printed as PDF',
  'browser.hover': 'the pointer moves to an element',
  'browser.drag': 'an element is dragged to another one by references, selectors or points',
  'browser.select': 'options of a list are chosen; another kind of field is 400',
  'browser.downloads': 'downloads of every client are listed, waited for and fetched',
  'browser.storage': 'cookies and local storage are read and added in the format of Playwright',
  'browser.har': 'the requests of pages as HAR 1.2',
  'browser.hung-tab':
    'with SVC_BROWSER_HUNG_TAB_SECONDS a tab that answers nothing is crashed, so that clients of /cdp connect',
  'browser.on-demand': 'with SVC_BROWSER_ON_DEMAND=true calls that act start the browser, and calls that look do not',
  'browser.link-tickets':
    'cdp_url and vnc_url carry tickets if the key was sent in a header; never for a caller with a ticket or a cookie',
  'app.typed-address': 'an address without a scheme is http for local hosts and other ports, else https; it is opened',
  'browser.start-log': 'the start of the browser writes no error to the log',
  'app.typing-kept': 'the display takes no focus from a field of the app in which a person types',
});
